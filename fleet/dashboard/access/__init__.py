"""Access control: who may see and command what, from where, and how often. Pure."""
