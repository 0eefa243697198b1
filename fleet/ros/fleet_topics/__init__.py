"""Topics of the whole fleet: which driver serves which robots, and where robots are and will be."""
