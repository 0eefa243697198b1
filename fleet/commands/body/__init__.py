"""The commands `thymio-fleet body` and `body-urdf`."""
