"""The callbacks of a node as its configuration declares them: what triggers them, and what they publish."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fleet.errors import ConfigError
from fleet.ros.orchestrated.completion import CompletionError
from fleet.ros.orchestrated.node_config import TICK, driver_config
from fleet.settings.config import FleetConfig
from thymio_base.texts.json_text import MAX_SIZE, read_json
from thymio_base.texts.user_file import read_start


@dataclass(frozen=True, slots=True)
class DeclaredSync:
    """A synchronizer: its topics inside of the node, and which stamps belong together."""

    topics: tuple[str, ...]
    slop_s: float
    queue_size: int


class DeclaredCallbacks:
    """The callbacks of a node configuration.

    Parameters
    ----------
    config : the node configuration; its names are those inside of the node

    Raises
    ------
    ConfigError
        It is not a node configuration.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._outputs: Final[dict[str, tuple[str, ...]]] = {}
        self._topics: Final[dict[str, str]] = {}
        self._periods: Final[dict[int, str]] = {}
        self._syncs: Final[dict[str, DeclaredSync]] = {}
        try:
            for number, callback in enumerate(config["callbacks"], 1):
                name = callback.get("name") or f"callback {number}"
                with _named_problems(name):
                    self._outputs[name] = tuple(callback["outputs"])
                    self._add_trigger(name, callback["trigger"])
        except (LookupError, TypeError, AttributeError) as error:
            raise ConfigError(f"this is not a node configuration with a list of callbacks: {error!r}") from error

    def _add_trigger(self, name: str, trigger: Any) -> None:
        if isinstance(trigger, str):
            self._topics[trigger] = name
        elif trigger["type"] == "topic":
            self._topics[trigger["name"]] = name
        elif trigger["type"] == "timer":
            self._periods[trigger["period"]] = name
        elif trigger["type"] == "approximate_time_sync":
            sync = DeclaredSync(tuple(trigger["input_topics"]), float(trigger["slop"]), trigger["queue_size"])
            self._syncs[name] = sync
            self._topics.update(dict.fromkeys(sync.topics, name))
        else:
            known = "topic, timer, approximate_time_sync"
            raise ConfigError(f"callback {name!r}: the type of its trigger is {trigger['type']!r}; known: {known}")

    @property
    def synced(self) -> tuple[str, ...]:
        """The names of callbacks of synchronizers."""
        return tuple(self._syncs)

    def sync_of(self, topics: Sequence[str]) -> "DeclaredSync | None":
        """Return the synchronizer of these topics, in this order, if one is declared."""
        return next((one for one in self._syncs.values() if one.topics == tuple(topics)), None)

    def callback_of_topic(self, topic: str) -> str | None:
        """Return the name of the callback that a topic triggers, if one is declared."""
        return self._topics.get(topic)

    def callback_of_timer(self, period_ns: int) -> str | None:
        """Return the name of the callback that a timer triggers, if one is declared."""
        return self._periods.get(period_ns)

    def resolved(self, resolve: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
        """Return the outputs of each callback by their names outside of the node."""
        return {name: tuple(map(resolve, outputs)) for name, outputs in self._outputs.items()}

    def check_publishers(self, published: Collection[str], resolve: Callable[[str], str]) -> None:
        """Check that each output is among the published topics, which are named as outside of the node.

        Raises
        ------
        CompletionError
            Some have none; the message names them.
        """
        outputs = (topic for outputs in self._outputs.values() for topic in outputs)
        missing = [topic for topic in outputs if resolve(topic) not in published]
        if missing:
            raise CompletionError(
                f"outputs that are declared, and that the node does not publish: {', '.join(missing)}"
            )


@contextmanager
def _named_problems(callback: str) -> Iterator[None]:
    try:
        yield
    except ConfigError:
        raise
    except KeyError as error:
        raise ConfigError(f"callback {callback!r}: {error.args[0]!r} is missing in its declaration") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"callback {callback!r}: its declaration has a value of a wrong type: {error}") from error


def read_declared(file: Path) -> DeclaredCallbacks:
    """Return the callbacks that a file declares.

    Raises
    ------
    ConfigError
        The file cannot be read, or is not a node configuration.
    """
    return DeclaredCallbacks(_values(file))


def read_declared_driver(config: FleetConfig, file: Path | None) -> DeclaredCallbacks:
    """Return the driver's callbacks, as declared in a file or, without a file, with the bytes of the link alone.

    Raises
    ------
    ConfigError
        The file cannot be read, or belongs to another fleet.
    """
    if file is None:
        return DeclaredCallbacks(driver_config(config))
    found = _values(file)
    try:
        outputs = next(one["outputs"] for one in found["callbacks"] if one["name"] == TICK)
    except (LookupError, TypeError, StopIteration) as error:
        raise ConfigError(f"{file}: this is not a node configuration of the driver: {error!r}; {_AGAIN}") from error
    if found != driver_config(config, outputs[1:]):
        raise ConfigError(f"{file}: this is not the node configuration of {config.path} as it is now; {_AGAIN}")
    return DeclaredCallbacks(found)


def _values(file: Path) -> Any:
    try:
        return read_json(read_start(file, MAX_SIZE + 1))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: {error}") from error


_AGAIN: Final = "write it again: thymio-fleet node-config --config FLEET.yaml > FILE"
