"""What nodes under an orchestrator declare: their callbacks, what triggers them, and what they publish."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopicTrigger:
    """A message on a topic, by its name outside of the node."""

    topic: str


@dataclass(frozen=True, slots=True)
class TimerTrigger:
    """A timer on simulated time: it fires at each multiple of its period [ns], but not at 0."""

    period_ns: int


@dataclass(frozen=True, slots=True)
class CallbackModel:
    """One callback of a node.

    Parameters
    ----------
    name : for people
    outputs : the topics on which it publishes at most one message each time, or says that it does not
    service_calls : the services that it calls, and waits for
    changes_provider : whether the state of the data provider depends on it
    """

    name: str
    trigger: TopicTrigger | TimerTrigger
    outputs: tuple[str, ...] = ()
    service_calls: tuple[str, ...] = ()
    changes_provider: bool = False


@dataclass(frozen=True, slots=True)
class NodeModel:
    """One node; all its topics have their names outside of it.

    Parameters
    ----------
    name : its full name, with a leading slash
    services : that it provides
    """

    name: str
    callbacks: tuple[CallbackModel, ...]
    services: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The topics that it reads, each once, in the order of its callbacks."""
        topics = (callback.trigger.topic for callback in self.callbacks if isinstance(callback.trigger, TopicTrigger))
        return tuple(dict.fromkeys(topics))

    @property
    def timers(self) -> tuple[CallbackModel, ...]:
        """Its callbacks that time triggers."""
        return tuple(callback for callback in self.callbacks if isinstance(callback.trigger, TimerTrigger))


def intercepted_name(node: str, topic: str) -> str:
    """Return the name of the topic on which a node receives what is published on another one, when it is its turn."""
    return f"/intercepted{node}/sub{topic}"
