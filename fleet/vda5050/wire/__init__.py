"""Messages of VDA 5050: one model, and a codec for each version; pure."""
