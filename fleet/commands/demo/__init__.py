"""The demonstration: a factory or a larger floor, errands that cross each other, and what came of them."""
