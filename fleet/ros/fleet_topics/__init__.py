"""Topics of the whole fleet: which driver serves whom, where robots stand, are and will be."""
