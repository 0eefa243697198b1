"""Where a virtual machine stops for a debugger."""

MAX_BREAKPOINTS = 16


class Breakpoints:
    """The words of bytecode before which the machine stops; there are `bytecode_size` of them."""

    def __init__(self, bytecode_size: int) -> None:
        self._bytecode_size = bytecode_size
        self._places: list[int] = []

    def has(self, pc: int) -> bool:
        """Whether the machine stops before the instruction at `pc`."""
        return pc in self._places

    def add(self, pc: int) -> bool:
        """Stop at `pc` from now on; return False where there is no room or no such word."""
        if pc >= self._bytecode_size or len(self._places) >= MAX_BREAKPOINTS:
            return False
        self._places.append(pc)
        return True

    def remove(self, pc: int) -> None:
        """Stop at `pc` no more."""
        if pc in self._places:
            self._places.remove(pc)

    def clear(self) -> None:
        """Stop nowhere any more."""
        self._places.clear()
