import json
import stat
from pathlib import Path
from typing import Any

import pytest

from fleet.dashboard.access.roles import Role
from fleet.dashboard.access.token_ring import TokenRing
from fleet.dashboard.api.webhook_book import Webhook
from fleet.dashboard.kept_files import KeptFiles
from fleet.dashboard.kept_tokens import KeptTokens, TokenError
from fleet.dashboard.kept_webhooks import KeptWebhooks

_FILE = "dashboard_tokens.json"


def test_token_is_kept_as_a_hash_that_its_user_alone_can_read(tmp_path: Path) -> None:
    tokens = KeptTokens(KeptFiles(tmp_path))
    text = tokens.add("mes", Role.OPERATOR, 1.7e9)
    assert (text[:3], len(text) >= 46) == ("tf_", True)
    assert text not in (tmp_path / _FILE).read_text()
    assert stat.S_IMODE((tmp_path / _FILE).stat().st_mode) == 0o600
    ring = TokenRing(KeptTokens(KeptFiles(tmp_path)).all)
    found = ring.find(text, 0)
    assert found is not None
    assert (found.name, found.role, found.made_unix_s) == ("mes", Role.OPERATOR, 1.7e9)
    assert ring.find(f"{text}x", 0) is None
    assert ring.find("", 0) is None


def test_token_is_revoked_while_the_dashboard_runs(tmp_path: Path) -> None:
    tokens = KeptTokens(KeptFiles(tmp_path))
    text, other = tokens.add("mes", Role.OPERATOR, 0.0), tokens.add("wall", Role.VIEWER, 0.0)
    ring = TokenRing(tokens.all)
    token = ring.find(text, 0)
    assert token is not None
    tokens.revoke("mes")
    assert not ring.is_valid(token, 1_000_000_000)
    assert ring.find(other, 1_000_000_000) is not None


def test_wrong_names_of_tokens_are_refused_with_what_to_do(tmp_path: Path) -> None:
    tokens = KeptTokens(KeptFiles(tmp_path))
    tokens.add("mes", Role.OPERATOR, 0.0)
    with pytest.raises(TokenError, match="mes has a token already: revoke it first"):
        tokens.add("mes", Role.VIEWER, 0.0)
    with pytest.raises(TokenError, match="'a b' is not 1 to 40 letters"):
        tokens.add("a b", Role.VIEWER, 0.0)
    with pytest.raises(TokenError, match="there is no token 'nobody'; there are mes"):
        tokens.revoke("nobody")


def test_tokens_that_cannot_be_kept_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TokenError, match="tokens cannot be kept in "):
        KeptTokens(KeptFiles(tmp_path / "file")).add("mes", Role.OPERATOR, 0.0)


@pytest.mark.parametrize(
    "rows", ["{", "7", "[7]", '[{"name": "x"}]', '[{"name": "x", "role": "king", "sha256": "0", "made_unix_s": 1}]']
)
def test_broken_file_admits_no_user(tmp_path: Path, rows: str) -> None:
    (tmp_path / _FILE).write_text(rows)
    assert KeptTokens(KeptFiles(tmp_path)).all() == []


@pytest.mark.parametrize(
    ("key", "value"), [("name", "a\u001b[2J"), ("name", 7), ("sha256", "00"), ("made_unix_s", 1e300)]
)
def test_row_that_could_not_be_listed_is_left_out(tmp_path: Path, key: str, value: Any) -> None:
    row = {"name": "mes", "role": "viewer", "sha256": "0" * 64, "made_unix_s": 1.0}
    (tmp_path / _FILE).write_text(json.dumps([row, row | {key: value}]))
    assert [token.name for token in KeptTokens(KeptFiles(tmp_path)).all()] == ["mes"]


def test_webhooks_of_a_fleet_are_kept(tmp_path: Path) -> None:
    webhook = Webhook("w1", "http://127.0.0.1/", ("job_ended",), "whsec_a2s=", "mes")
    KeptWebhooks(KeptFiles(tmp_path), 3).keep([webhook])
    assert KeptWebhooks(KeptFiles(tmp_path), 3).all() == [webhook]
    assert KeptWebhooks(KeptFiles(tmp_path), 4).all() == []
    (tmp_path / "webhooks_of_domain_3.json").write_text(json.dumps([{"id": 1}, 7]))
    assert KeptWebhooks(KeptFiles(tmp_path), 3).all() == []
