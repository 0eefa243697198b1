"""A node whose callbacks an orchestrator counts: it reports the end of each, as its configuration declares."""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from orchestrator_interfaces.msg import Status
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from fleet.errors import ConfigError
from fleet.ros.orchestrated.completion import Completion, CompletionError
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks
from thymio_base.approximate_time_sync import ApproximateTimeSync
from thymio_base.fence import Fence
from thymio_base.ros.fenced_node import FencedNode
from thymio_base.ros.stamps import time_from_ros

_LOOK_S: Final = 0.01


def wait_for_readers(publishers: Iterable[Publisher], timeout_s: float = 30.0) -> list[str]:
    """Wait until each publisher has a reader; return the topics that have none in time."""
    end_s = time.monotonic() + timeout_s
    unread = list(publishers)
    while unread := [one for one in unread if not one.get_subscription_count()]:
        if time.monotonic() > end_s:
            break
        time.sleep(_LOOK_S)
    return [one.topic_name for one in unread]


class CountedNode(FencedNode):
    """A node in simulated time; its subscriptions, timers and publishers are created in the constructor.

    Callbacks and outputs that are not declared behave as in an ordinary node.

    Parameters
    ----------
    name : the node's name
    declared : its declared callbacks
    """

    def __init__(self, name: str, declared: DeclaredCallbacks) -> None:
        self._declared = declared
        self._completion: Completion | None = None  # rclpy's Node creates entities before that exists
        fence = Fence(passes=(CompletionError,))
        super().__init__(name, fence, parameter_overrides=[Parameter("use_sim_time", value=True)])
        status = super().create_publisher(Status, "/status", QoSProfile(depth=100))
        full_name = self.get_fully_qualified_name()
        self._unread: list[Publisher] = [status]
        self._completion = Completion(
            declared.resolved(self.resolve_topic_name),
            lambda omitted: status.publish(Status(node_name=full_name, omitted_outputs=omitted)),
            declared.synced,
        )

    def create_subscription(self, msg_type: Any, topic: str, callback: Any, *args: Any, **kw: Any) -> Any:
        """Create a subscription; the orchestrator counts its callback if the topic is declared."""
        counted = self._counted(self._declared.callback_of_topic(topic), callback)
        return super().create_subscription(msg_type, topic, counted, *args, **kw)

    def create_synchronized_subscriptions(
        self, topics: Sequence[tuple[Any, str]], callback: Callable[..., None], qos: Any = 10
    ) -> None:
        """Subscribe to topics with types, and call back with one message of each whose stamps belong together.

        The trigger approximate_time_sync must be declared for these topics in this order; its slop and queue size
        apply, as in `message_filters` of ROS, which is used where it is installed.

        Raises
        ------
        ConfigError
            It is not declared.
        """
        names = [topic for _, topic in topics]
        sync = self._declared.sync_of(names)
        if sync is None:
            raise ConfigError(f"no callback has the trigger approximate_time_sync with the topics {', '.join(names)}")
        collected: ApproximateTimeSync[Any] = ApproximateTimeSync(len(topics), sync.queue_size, sync.slop_s)

        def on_message(index: int, message: Any) -> None:
            messages = collected.add(index, time_from_ros(message.header.stamp), message)
            if messages is not None:
                callback(*messages)

        for index, (message_type, topic) in enumerate(topics):
            self.create_subscription(message_type, topic, partial(on_message, index), qos)

    def create_timer(self, timer_period_sec: float, callback: Callable[..., Any], *args: Any, **kw: Any) -> Any:
        """Create a timer; the orchestrator counts its callback if the period is declared."""
        counted = self._counted(self._declared.callback_of_timer(round(timer_period_sec * 1e9)), callback)
        return super().create_timer(timer_period_sec, counted, *args, **kw)

    def create_publisher(self, message_type: Any, topic: str, *args: Any, **options: Any) -> Any:
        """Create a publisher; the orchestrator counts its messages if the topic is declared as an output."""
        publisher = super().create_publisher(message_type, topic, *args, **options)
        if self._completion is not None and self._completion.declares(publisher.topic_name):
            self._unread.append(publisher)
            publisher.publish = partial(self._publish, self._completion, publisher.topic_name, publisher.publish)
        return publisher

    def check_outputs(self) -> None:
        """Check that each declared output has a publisher.

        Raises
        ------
        CompletionError
            Some have none; the message names them.
        """
        published = {publisher.topic_name for publisher in self.publishers}
        self._declared.check_publishers(published, self.resolve_topic_name)

    def _counted(self, name: str | None, callback: Callable[..., None]) -> Callable[..., None]:
        return callback if name is None or self._completion is None else partial(self._perform, name, callback)

    def _perform(self, name: str, callback: Callable[..., None], *message: Any) -> None:
        """Run a callback, triggered by `message` if there is one, and report its end, even after an exception."""
        if self._unread:
            wait_for_readers(self._unread)
            self._unread = []
        assert self._completion is not None
        self._completion.begin(name)
        self.fence.call(name, callback, *message)
        self._completion.end()

    @staticmethod
    def _publish(completion: Completion, topic: str, publish: Callable[[Any], None], message: Any) -> None:
        completion.note(topic)
        publish(message)
