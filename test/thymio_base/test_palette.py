"""Colours can be seen on their grounds, and states be told apart without them."""

import pytest

from thymio_base.palette import DARK_GROUND, LIGHT_GROUND, Tone, contrast


def test_contrast_of_black_and_white_is_the_greatest() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#777777") == pytest.approx(1.0)


@pytest.mark.parametrize("tone", list(Tone))
def test_states_can_be_seen_on_their_grounds(tone: Tone) -> None:
    assert contrast(tone.light, LIGHT_GROUND) >= 3.0
    assert contrast(tone.dark, DARK_GROUND) >= 3.0
    assert contrast(tone.terminal, "#ffffff") >= 3.0
    assert contrast(tone.terminal, "#000000") >= 3.0


def test_every_state_has_a_sign_of_its_own() -> None:
    assert len(Tone) == 6
    assert len({tone.sign for tone in Tone}) == len(Tone)
