"""The host's role on one network: identifies nodes, uploads scripts, collects events; pure; imports `wire`."""
