"""How messages of robots are read, by whoever watches them: taken when the reader wants to, never waited for."""
