"""Reading robots' messages: taken whenever the reader wants them, without ever waiting."""
