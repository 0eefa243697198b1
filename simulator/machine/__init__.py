"""The Aseba virtual machine, its native functions, and the translation of handlers to Python; pure."""
