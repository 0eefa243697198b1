"""The commands `thymio-fleet follow` and `thymio-fleet law`."""
