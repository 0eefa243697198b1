"""Messages from the broker wait apart by topic."""

from fleet.vda5050.vehicle.received_messages import SIZE_MAX, ReceivedMessages, Topic


def test_a_flood_of_orders_pushes_no_cancel_out() -> None:
    received = ReceivedMessages()
    received.put(Topic.INSTANT_ACTIONS, b"cancel")
    for number in range(10_000):
        received.put(Topic.ORDER, b"%d" % number)
    assert received.take(Topic.INSTANT_ACTIONS) == (b"cancel", False)
    orders = list(iter(lambda: received.take(Topic.ORDER), None))
    assert orders[-1] == (b"9999", False)
    assert received.dropped == 10_000 - len(orders)
    assert len(received) == 0


def test_messages_of_a_topic_keep_their_order() -> None:
    received = ReceivedMessages()
    for payload, is_kept in ((b"1", True), (b"2", False)):
        received.put(Topic.CONNECTION, payload, is_kept=is_kept)
    assert list(iter(lambda: received.take(Topic.CONNECTION), None)) == [(b"1", True), (b"2", False)]


def test_a_huge_message_is_dropped_and_counted() -> None:
    received = ReceivedMessages()
    received.put(Topic.ORDER, bytes(SIZE_MAX + 1))
    assert received.take(Topic.ORDER) is None
    assert received.dropped == 1


def test_messages_of_unread_topics_are_skipped() -> None:
    received = ReceivedMessages()
    received.put(Topic.FACTSHEET, b"own")
    assert (len(received), received.dropped) == (0, 0)
