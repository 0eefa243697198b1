"""The simulator: simulated Thymios that speak the same Aseba protocol as real ones."""
