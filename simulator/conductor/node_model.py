"""What nodes under an orchestrator declare: callbacks, their triggers and their outputs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopicTrigger:
    """A message on a topic, named as outside the node."""

    topic: str


@dataclass(frozen=True, slots=True)
class TimerTrigger:
    """A timer on simulated time; it fires at each multiple of its period [ns], except 0."""

    period_ns: int


@dataclass(frozen=True, slots=True)
class SyncTrigger:
    """Messages on several topics with stamps within the slop, for which `message_filters` calls back once."""

    topics: tuple[str, ...]
    slop_s: float
    queue_size: int


@dataclass(frozen=True, slots=True)
class CallbackModel:
    """One callback of a node.

    Parameters
    ----------
    name : shown to people
    outputs : topics on which each run publishes at most one message, or reports that it does not
    service_calls : services that it calls, and waits for
    changes_provider : whether it affects the state of the data provider
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
    """A node; its topics are named as outside the node.

    Parameters
    ----------
    name : full name, with a leading slash
    services : services that it provides
    """

    name: str
    callbacks: tuple[CallbackModel, ...]
    services: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The topics that it reads, without repetition, in the order of its callbacks."""
        return tuple(dict.fromkeys(topic for callback in self.callbacks for topic in callback.topics))

    @property
    def stamped_inputs(self) -> tuple[str, ...]:
        """The topics that it reads through a synchronizer, which needs the stamps in their headers."""
        synced = (callback for callback in self.callbacks if isinstance(callback.trigger, SyncTrigger))
        return tuple(topic for callback in synced for topic in callback.topics)

    @property
    def timers(self) -> tuple[CallbackModel, ...]:
        """Its callbacks that are triggered by time."""
        return tuple(callback for callback in self.callbacks if isinstance(callback.trigger, TimerTrigger))


def intercepted_name(node: str, topic: str) -> str:
    """Return the name of the topic on which a node receives the messages of `topic` when it is its turn."""
    return f"/intercepted{node}/sub{topic}"
