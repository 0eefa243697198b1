"""One vehicle: its messages in and out, its order, and its record for a restart. Pure."""
