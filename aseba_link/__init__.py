"""Aseba and the Thymio on the wire: codec, discovery, scripts, units, and the link that combines them."""
