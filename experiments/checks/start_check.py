"""Checks the two files that start a simulated fleet."""

from pathlib import Path

from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind, recognize
from fleet.errors import ConfigError
from simulator.errors import WorldError
from simulator.world.config import read_world, world_of
from thymio_base.errors import SettingsError
from thymio_base.settings_file import load_text


def check_start(fleet: Path, world: Path) -> tuple[list[str], tuple[str, int]]:
    """Return the mismatches of a fleet and a world, in lines, and the address and port that the world listens on.

    Raises
    ------
    ConfigError
        The world itself has mistakes, or a file is of another kind.
    """
    try:
        document = read_world(world)
        network = world_of(world, document).network
    except WorldError as error:
        _refuse_others(fleet, world)
        raise ConfigError(str(error)) from error
    fit = check_file(fleet, FileKind.FLEET, document)
    if fit.mistakes:
        _refuse_others(fleet, world)
    return [*fit.mistakes, *fit.warnings], (network.address, network.port)


def _refuse_others(fleet: Path, world: Path) -> None:
    """Refuse a file that is clearly of another kind; its reader reports all other problems."""
    for file, kind in ((fleet, FileKind.FLEET), (world, FileKind.WORLD)):
        try:
            found = recognize(file, load_text(file))
        except SettingsError:
            continue
        if found.is_sufficient and found.kind is not kind:
            raise ConfigError(f"{file}: this is {found.kind.noun}, not {kind.noun}; are --config and --world swapped?")
