"""The commands about jobs: `submit`, `jobs` and `duty`."""
