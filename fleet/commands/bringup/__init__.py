"""The command `thymio-fleet bringup`: the clock, terminal, serial ports and files for `fleet.bringup`."""
