"""Runs the driver under an orchestrator until it is stopped."""

import sys
from pathlib import Path

import rclpy
from rclpy.executors import Executor

from fleet.errors import ConfigError
from fleet.ros.orchestrated.completion import CompletionError
from fleet.ros.orchestrated.declared_callbacks import read_declared_driver
from fleet.ros.orchestrated.orchestrated_driver import OrchestratedDriver
from fleet.ros.orchestrated.refusals import refusals
from fleet.settings.config import FleetConfig
from thymio_base.exit_code import ExitCode
from thymio_base.stop_signal import StopSignal


def run_orchestrated(config: FleetConfig, file: Path | None, executor: Executor, stop: StopSignal) -> int:
    """Serve a fleet under an orchestrator; return the exit code.

    Parameters
    ----------
    config
        the fleet's configuration
    file
        the driver's node configuration; None declares the bytes of the link alone
    executor
        serves the driver's callbacks
    stop
        ends the run

    Returns
    -------
    0, 1 if the driver broke the rules of the orchestrator, 2 if the fleet cannot run under one
    """
    try:
        problems = refusals(config)
        if problems:
            raise ConfigError("\n".join(problems))
        OrchestratedDriver(config, read_declared_driver(config, file)).run(executor, stop)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except CompletionError as error:
        print(error, file=sys.stderr)
        return ExitCode.FAILED
    finally:
        rclpy.try_shutdown()
    return ExitCode.DONE
