import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.errors import MessageError
from aseba_link.wire.message import MAX_PAYLOAD_SIZE, Message, encode
from aseba_link.wire.stream import MessageStream

user_events = st.builds(
    lambda source, rank, words: Message(source, rank, b"".join(word.to_bytes(2, "little") for word in words)),
    st.integers(0, 0xFFFF),
    st.integers(0, 0x7FFF),
    st.lists(st.integers(0, 0xFFFF), max_size=258),
)
system_messages = st.builds(
    Message, st.integers(0, 0xFFFF), st.sampled_from([0x9000, 0x900D, 0xA011, 0x8004]), st.binary(max_size=516)
)


@given(st.lists(user_events | system_messages, max_size=8), st.data())
def test_messages_are_the_same_however_the_bytes_are_cut(messages: list[Message], data: st.DataObject) -> None:
    wire = b"".join(encode(message) for message in messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(wire)), max_size=12)))
    stream = MessageStream()
    received = [
        message
        for start, end in zip([0, *cuts], [*cuts, len(wire)], strict=True)
        for message in stream.feed(wire[start:end])
    ]
    assert received == messages
    assert stream.pending == 0


@given(st.lists(st.binary(max_size=200), max_size=40))
def test_random_bytes_give_messages_or_a_message_error_and_little_is_buffered(chunks: list[bytes]) -> None:
    stream = MessageStream()
    try:
        for chunk in chunks:
            stream.feed(chunk)
            assert stream.pending < 6 + MAX_PAYLOAD_SIZE
    except MessageError as error:
        assert "framing is lost" in str(error)  # noqa: PT017 - an error is allowed, not demanded


def test_payload_longer_than_aseba_allows_ends_the_stream() -> None:
    with pytest.raises(MessageError, match="517 bytes"):
        MessageStream().feed(bytes.fromhex("0502 0100 0000"))


def test_impossible_type_ends_the_stream() -> None:
    with pytest.raises(MessageError, match="0xffff"):
        MessageStream().feed(bytes.fromhex("0000 0100 ffff"))


def test_user_event_with_half_a_word_is_returned_as_it_is() -> None:
    odd, after = Message(1, 0, b"abc"), Message(1, 0, b"ab")
    assert MessageStream().feed(encode(odd) + encode(after)) == [odd, after]


def test_incomplete_frame_is_buffered_until_the_rest_arrives() -> None:
    stream = MessageStream()
    wire = encode(Message(3, 1, b"abcd"))
    assert stream.feed(wire[:7]) == []
    assert stream.pending == 7
    assert stream.feed(wire[7:]) == [Message(3, 1, b"abcd")]
