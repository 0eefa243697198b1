"""A Thymio's firmware: its node, memory layout, peripherals and body; pure; imports `machine`."""
