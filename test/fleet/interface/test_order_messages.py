"""Orders of master controls, as a connector publishes them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.interface.order_messages import order_of_text

NODES = [{"id": "n1", "seq": 2, "x": 0.3, "y": 0.5}, {"id": "nowhere", "x": None, "y": 1}]
ORDER = {"master": "tcp://broker uagv/v2", "connected": True, "order": "o-17", "update": 2, "base": NODES, "new": 1}


def test_an_order_has_base_horizon_and_master() -> None:
    found = order_of_text(json.dumps({**ORDER, "horizon": NODES[:1], "last": {"id": "n0"}, "errors": ["e"] * 9}))
    assert found is not None
    assert (found["master"], found["order"], found["update"]) == ("tcp://broker uagv/v2", "o-17", 2)
    assert (found["is_connected"], found["is_paused"], found["last"]) == (True, False, "n0")
    assert found["base"] == found["horizon"] == [{"id": "n1", "x_m": 0.3, "y_m": 0.5}]
    assert len(found["errors"]) == 5


def test_an_empty_text_is_the_end_of_an_order() -> None:
    assert order_of_text("") is None


@pytest.mark.parametrize("text", ["[]", "{", "1"])
def test_what_is_not_an_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  by whichever reader
        order_of_text(text)


@given(
    st.dictionaries(
        st.sampled_from([*ORDER, "horizon", "last", "errors"]),
        st.recursive(
            st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "x", "y"]), inner),
            max_leaves=8,
        ),
    )
)
def test_any_object_becomes_an_order_of_bounded_size(values: dict[str, object]) -> None:
    found = order_of_text(json.dumps(values))
    assert found is not None
    assert len(found["base"]) + len(found["horizon"]) <= 100
