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
class SyncTrigger:
    """Messages of several topics whose stamps are within the slop: `message_filters` calls back once for them."""

    topics: tuple[str, ...]
    slop_s: float
    queue_size: int


@dataclass(frozen=True, slots=True)
class CallbackModel:
    """One callback of a node.

    Parameters
    ----------
    name : for people
    outputs : the topics on which it publishes at most one message each time, or says that it does not
    service_calls : the services that it calls, and waits for
    changes_provider : whether the state of the data provider depends on it
    may_reconfigure : whether it may announce another configuration of the stack
    """

    name: str
    trigger: TopicTrigger | TimerTrigger | SyncTrigger
    outputs: tuple[str, ...] = ()
    service_calls: tuple[str, ...] = ()
    changes_provider: bool = False
    may_reconfigure: bool = False

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that trigger it; none for a timer."""
        if isinstance(self.trigger, TopicTrigger):
            return (self.trigger.topic,)
        return self.trigger.topics if isinstance(self.trigger, SyncTrigger) else ()


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
        return tuple(dict.fromkeys(topic for callback in self.callbacks for topic in callback.topics))

    @property
    def stamped_inputs(self) -> tuple[str, ...]:
        """The topics that it reads through a synchronizer, which needs the stamps of their headers."""
        synced = (callback for callback in self.callbacks if isinstance(callback.trigger, SyncTrigger))
        return tuple(topic for callback in synced for topic in callback.topics)

    @property
    def timers(self) -> tuple[CallbackModel, ...]:
        """Its callbacks that time triggers."""
        return tuple(callback for callback in self.callbacks if isinstance(callback.trigger, TimerTrigger))


def intercepted_name(node: str, topic: str) -> str:
    """Return the name of the topic on which a node receives what is published on another one, when it is its turn."""
    return f"/intercepted{node}/sub{topic}"
