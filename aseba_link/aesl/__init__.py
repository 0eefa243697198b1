"""Programs and their compiler: a script becomes bytecode; pure; imports `syntax`, `host` and `wire`."""
