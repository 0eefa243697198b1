"""Scripts (.aesl files) and the Aseba language, from text to statements; pure; imports `wire`."""
