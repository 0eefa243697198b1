"""The breakpoints of a virtual machine."""

MAX_BREAKPOINTS = 16


class Breakpoints:
    """Breakpoints in a bytecode of `bytecode_size` words; the machine stops before each of the `places`."""

    def __init__(self, bytecode_size: int) -> None:
        self._bytecode_size = bytecode_size
        self.places: list[int] = []

    def has(self, pc: int) -> bool:
        """Whether the machine stops before the instruction at `pc`."""
        return pc in self.places

    def add(self, pc: int) -> bool:
        """Stop at `pc` from now on; return False if the table is full or `pc` is outside the bytecode."""
        if pc >= self._bytecode_size or len(self.places) >= MAX_BREAKPOINTS:
            return False
        self.places.append(pc)
        return True

    def remove(self, pc: int) -> None:
        """Remove the breakpoint at `pc`."""
        if pc in self.places:
            self.places.remove(pc)

    def clear(self) -> None:
        """Remove all breakpoints."""
        self.places.clear()
