"""The command `thymio-fleet bringup`: clock, terminal, serial ports and files around `fleet.bringup`."""
