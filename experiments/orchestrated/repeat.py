"""Runs a stack several times, compares the runs, and reports the result."""

import argparse
import json
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path

from experiments.orchestrated.run_comparison import Difference, RunRecord, first_difference, read_record
from experiments.orchestrated.runs import BUSY_PROCESSES, RunError, run_stack
from experiments.orchestrated.stack import write_stack
from thymio_base.exit_code import ExitCode
from thymio_base.ros.private_domain import reserve_private_domain

__all__ = ["RunError", "repeat"]


def repeat(options: argparse.Namespace, folder: Path) -> int:
    """Run an experiment's stack; return 0 if all runs are equal, else 1.

    Parameters
    ----------
    options
        options of the command
    folder
        folder for the files of all runs

    Raises
    ------
    ExperimentError
        The experiment cannot run as a stack.
    RunError
        A program has failed.
    """
    reserve_private_domain()
    stack = write_stack(options.file.resolve(), folder, options.duration, options.orchestrator)
    first: RunRecord | None = None
    for number in range(1, options.runs + 1):
        os.environ["PYTHONHASHSEED"] = str(random.SystemRandom().randrange(2**32))  # different in each run
        is_busy = options.under_load and number % 2 == 0
        began_s = time.monotonic()
        with run_stack(stack, folder, f"run_{number}", is_busy=is_busy).open(encoding="utf-8") as lines:
            record = read_record(lines)
        if not options.json:
            beside = f", beside {BUSY_PROCESSES} busy processes" if is_busy else ""
            seconds = time.monotonic() - began_s
            print(f"run {number}: {record.message_count} messages, {seconds:.0f} s{beside}", flush=True)
        difference = None if first is None else first_difference(first, record)
        if difference is not None:
            callers = stack.callers_of(difference.node)
            print(_json_of(difference) if options.json else _words_of(difference, number, callers))
            return ExitCode.FAILED
        first = first or record
    if first is not None:
        print(_json_of_equal(first, options.runs) if options.json else _words_of_equal(first))
    return ExitCode.DONE


def _words_of_equal(record: RunRecord) -> str:
    return f"identical: {record.message_count} messages on {len(record.messages)} topics"


def _json_of_equal(record: RunRecord, runs: int) -> str:
    found = {"identical": True, "runs": runs, "messages": record.message_count, "topics": record.digests()}
    return json.dumps(found)


def _words_of(difference: Difference, number: int, callers: Sequence[str]) -> str:
    callback = f", callback {difference.callback!r}" if difference.callback else ""
    lines = [
        f"runs 1 and {number} differ, first at {difference.time_ns * 1e-9:.3f} s on {difference.topic}:",
        f"  {difference.words}",
    ]
    if not difference.is_made:
        place = f"an input of {difference.node}{callback}, after {difference.inputs} equal inputs"
        text = place if difference.node else "the messages of several nodes on one topic, in another order"
        return "\n".join([*lines, f"  {text}; no node made another output of equal inputs"])
    lines += [
        f"  {difference.node}{callback} made it, after {difference.inputs} equal inputs:",
        "  it uses something that is not an input, such as the clock of the machine, a random number, or another topic",
    ]
    if callers:
        lines.append(f"  or another node called its services with other requests: {', '.join(callers)}")
    return "\n".join(lines)


def _json_of(difference: Difference) -> str:
    return json.dumps(
        {
            "identical": False,
            "time_ns": difference.time_ns,
            "node": difference.node,
            "callback": difference.callback,
            "topic": difference.topic,
            "words": difference.words,
            "inputs": difference.inputs,
        }
    )
