"""Messages from the broker wait apart by topic."""

from fleet.vda5050.link.mqtt_line import ReceivedMessages
from fleet.vda5050.vehicle.vehicle import Topic


def test_a_flood_of_orders_pushes_no_cancel_out() -> None:
    received = ReceivedMessages()
    received.put(Topic.INSTANT_ACTIONS, b"cancel", is_kept=False)
    for number in range(10_000):
        received.put(Topic.ORDER, b"%d" % number, is_kept=False)
    assert received.take() == (Topic.INSTANT_ACTIONS, b"cancel", False)
    orders = list(iter(received.take, None))
    assert orders[-1] == (Topic.ORDER, b"9999", False)
    assert 1 < len(orders) < 10_000


def test_messages_of_a_topic_keep_their_order() -> None:
    received = ReceivedMessages()
    for payload, is_kept in ((b"1", True), (b"2", False)):
        received.put(Topic.CONNECTION, payload, is_kept=is_kept)
    assert list(iter(received.take, None)) == [(Topic.CONNECTION, b"1", True), (Topic.CONNECTION, b"2", False)]
