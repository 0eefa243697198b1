import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.errors import MessageError
from aseba_link.wire.message import (
    HEADER_SIZE,
    MAX_EVENT_ARGS,
    Message,
    MessageType,
    decode_header,
    encode,
    from_words,
    user_event,
)

words = st.lists(st.integers(-0x8000, 0x7FFF), max_size=MAX_EVENT_ARGS)


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), words)
def test_words_survive_the_wire(source: int, message_type: int, values: list[int]) -> None:
    frame = encode(from_words(source, message_type, values))
    assert decode_header(frame) == (2 * len(values), source, message_type)
    assert Message(source, message_type, frame[HEADER_SIZE:]).words() == tuple(values)


@given(words)
def test_signed_and_unsigned_words_are_the_same_modulo_16_bits(values: list[int]) -> None:
    message = from_words(1, 2, values)
    assert message.unsigned_words() == tuple(value % 0x10000 for value in message.words())


def test_frame_is_length_source_type_and_payload_little_endian() -> None:
    assert encode(from_words(0x0102, 0xA003, [0x0304])) == bytes.fromhex("0200 0201 03a0 0403")


def test_odd_last_byte_is_not_a_word() -> None:
    assert Message(1, 0x900D, b"\x01\x00\x02").words() == (1,)


@pytest.mark.parametrize("value", [-0x8001, 0x10000])
def test_word_that_does_not_fit_is_refused(value: int) -> None:
    with pytest.raises(MessageError, match=str(value)):
        from_words(0, 1, [value])


def test_more_arguments_than_an_event_holds_are_refused() -> None:
    with pytest.raises(MessageError, match="259 words"):
        from_words(0, 1, [0] * 259)


def test_event_of_the_host_has_source_0() -> None:
    assert user_event(3, [1, -1]) == from_words(0, 3, [1, -1])


@pytest.mark.parametrize("rank", [-1, 0x8000, MessageType.RESET])
def test_event_of_the_host_cannot_be_a_command(rank: int) -> None:
    with pytest.raises(MessageError, match=f"not {rank}"):
        user_event(rank, [1])


def test_too_long_payload_is_not_encoded() -> None:
    with pytest.raises(MessageError, match="517 bytes"):
        encode(Message(0, 0x9000, bytes(517)))


def test_source_beyond_16_bits_is_not_encoded() -> None:
    with pytest.raises(MessageError, match="source 65536"):
        encode(Message(65536, 1))
