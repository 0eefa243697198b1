"""One vehicle: its messages in and out, its order, and what is kept of it for a restart; pure."""
