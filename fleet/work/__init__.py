"""The work that robots are asked to do: paths within limits, and places with a way to them; pure."""
