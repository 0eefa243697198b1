"""Messages, descriptions and bytecode on the wire; pure; imports only the errors."""
