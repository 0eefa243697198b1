import signal
import threading

import pytest

from thymio_base.ros.interrupt import interrupted_afterwards


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done = []

    def work() -> None:
        with interrupted_afterwards():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest of the block")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_is_not_lost_to_an_error_in_the_block() -> None:
    def work() -> None:
        with interrupted_afterwards():
            signal.raise_signal(signal.SIGINT)
            raise ValueError("in the block")

    with pytest.raises(KeyboardInterrupt):
        work()


def test_without_an_interrupt_nothing_is_raised() -> None:
    with interrupted_afterwards():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_in_the_block_leaves_the_handler_as_it_was() -> None:
    def work() -> None:
        with interrupted_afterwards():
            raise ValueError("in the block")

    with pytest.raises(ValueError, match="in the block"):
        work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_program_with_a_handler_of_its_own_keeps_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupted_afterwards():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_are_left_alone() -> None:
    handlers = []

    def work() -> None:
        with interrupted_afterwards():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]
