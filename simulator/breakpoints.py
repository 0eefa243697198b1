"""Where a virtual machine stops for a debugger."""

MAX_BREAKPOINTS = 16


class Breakpoints:
    """The `places` in bytecode of so many words before which the machine stops."""

    def __init__(self, bytecode_size: int) -> None:
        self._bytecode_size = bytecode_size
        self.places: list[int] = []

    def has(self, pc: int) -> bool:
        """Whether the machine stops before the instruction at `pc`."""
        return pc in self.places

    def add(self, pc: int) -> bool:
        """Stop at `pc` from now on; return False where there is no room or no such word."""
        if pc >= self._bytecode_size or len(self.places) >= MAX_BREAKPOINTS:
            return False
        self.places.append(pc)
        return True

    def remove(self, pc: int) -> None:
        """Stop at `pc` no more."""
        if pc in self.places:
            self.places.remove(pc)

    def clear(self) -> None:
        """Stop nowhere any more."""
        self.places.clear()
