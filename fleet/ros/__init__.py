"""The driver's node and its servers; imports `interface`, `service` and below."""
