"""The demonstration: a factory or a larger floor, crossing errands, and their results."""
