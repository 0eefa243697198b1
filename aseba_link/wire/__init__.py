"""Messages, descriptions and bytecode as they cross the wire; pure; imports only the errors."""
