"""A Thymio's firmware: node, memory layout, peripherals and body; pure; imports `machine`."""
