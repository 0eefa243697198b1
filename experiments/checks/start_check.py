"""Checks the two files with which a simulated fleet is to start."""

from pathlib import Path

from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind
from fleet.errors import ConfigError
from simulator.errors import WorldError
from simulator.world.config import read_world, world_of


def check_start(fleet: Path, world: Path) -> tuple[list[str], tuple[str, int]]:
    """Return what does not fit between a fleet and a world, in lines, and the address and port that the world takes.

    Raises
    ------
    ConfigError
        One of the files has mistakes of its own.
    """
    try:
        document = read_world(world)
        network = world_of(world, document).network
    except WorldError as error:
        raise ConfigError(str(error)) from error
    fit = check_file(fleet, FileKind.FLEET, document)
    return [*fit.mistakes, *fit.warnings], (network.address, network.port)
