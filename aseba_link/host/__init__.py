"""The host's role on a network: identifies nodes, uploads scripts, collects events; pure; imports `wire`."""
