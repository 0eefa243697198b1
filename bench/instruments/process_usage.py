"""Processes' use of the machine, from /proc."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def rss_mb(pid: int) -> float:
    """Return the resident memory of a process, in 10^6 bytes."""
    return 1e-6 * os.sysconf("SC_PAGE_SIZE") * int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])


def pss_mb(pid: int) -> float:
    """Return the memory of a process in 10^6 bytes, with its share of memory shared with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return next(1.024e-3 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def threads(pid: int) -> int:
    """Return the number of a process's threads."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def open_files(pid: int) -> int:
    """Return the number of a process's open files and sockets."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU time so far: of some processes, and of everything on the machine."""

    own_s: tuple[float, ...]
    all_s: float

    @classmethod
    def of(cls, pids: Sequence[int]) -> "Usage":
        """Return the usage of some processes."""
        user, nice, system, _, _, irq, soft_irq, *_ = (
            int(field) for field in Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0].split()[1:]
        )
        return cls(tuple(map(cpu_s, pids)), (user + nice + system + irq + soft_irq) / _TICKS_PER_S)

    def cores_since(self, before: "Usage", duration_s: float) -> tuple[list[float], float]:
        """Return the cores used since then by each process, and by everything else."""
        own = [(after_s - before_s) / duration_s for after_s, before_s in zip(self.own_s, before.own_s, strict=True)]
        return own, max(0.0, (self.all_s - before.all_s) / duration_s - sum(own))
