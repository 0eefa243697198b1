"""The simulator: Thymios that stand in for hardware behind the Aseba wire."""
