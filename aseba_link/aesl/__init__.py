"""Programs and the compiler that turns scripts into bytecode; pure; imports `syntax`, `host` and `wire`."""
