"""Runs a program of ours whose callbacks each sleep for a random time: delayed.py MODULE SLEEP_S ARGUMENT..."""

import random
import runpy
import sys
import time
from typing import Any

from fleet.ros.orchestrated.counted_node import CountedNode


def main() -> None:
    module, sleep_s = sys.argv[1], float(sys.argv[2])
    chance = random.SystemRandom()
    perform = CountedNode._perform

    def delayed(self: CountedNode, *arguments: Any) -> None:
        time.sleep(chance.uniform(0.0, sleep_s))
        perform(self, *arguments)

    CountedNode._perform = delayed  # type: ignore[method-assign]
    sys.argv[1:] = sys.argv[3:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
