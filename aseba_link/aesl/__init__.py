"""Programs and their compiler, from a script to bytecode; pure; imports `syntax`, `host` and `wire`."""
