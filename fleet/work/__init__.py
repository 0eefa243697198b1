"""What robots are asked to do, whoever asks: paths within limits, and places with a way to them; pure."""
