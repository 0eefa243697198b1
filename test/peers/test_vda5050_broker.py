"""The connector's line to Debian's mosquitto with keys, certificates and passwords that openssl makes."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from selectors import DefaultSelector

import pytest

from bench.vda5050.broker import Broker
from fleet.settings.vda5050_config import BrokerAddress, Vda5050Config
from fleet.vda5050.link.mqtt_line import BrokerError, MqttLine, serve_sockets
from fleet.vda5050.vehicle.received_messages import ReceivedMessages, Topic
from fleet.vda5050.vehicle.vehicle import OutgoingMessage, VehicleIdentity
from fleet.vda5050.wire.vda_version import VdaVersion

pytestmark = [
    pytest.mark.masters,
    # paho-mqtt does not close a socket whose handshake has failed
    pytest.mark.filterwarnings("ignore:.*SSLSocket:pytest.PytestUnraisableExceptionWarning"),
]
ROBOT = VehicleIdentity("uagv", VdaVersion.V2_1, "thymio", "robot_1")
DEADLINE_S = 60.0


def openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@dataclass(frozen=True)
class Authority:
    """A certificate authority in a folder of its own."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
        openssl("req", "-x509", *key, "-subj", f"/CN={self.folder.name}", "-keyout", self.key, "-out", self.certificate)

    @property
    def key(self) -> Path:
        return self.folder / "ca.key"

    @property
    def certificate(self) -> Path:
        return self.folder / "ca.crt"

    def issue(self, name: str, address: str = "127.0.0.1") -> tuple[Path, Path]:
        """Return a certificate for an address, and its key."""
        request, key, issued = (self.folder / f"{name}.{end}" for end in ("csr", "key", "crt"))
        names = self.folder / f"{name}.ext"
        names.write_text(f"subjectAltName=IP:{address}\n")
        words = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}")
        openssl("req", *words, "-keyout", key, "-out", request)
        signed = ("-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial", "-days", "2", "-extfile", names)
        openssl("x509", "-req", "-in", request, *signed, "-out", issued)
        return issued, key


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "right")


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Broker]:
    """Return a function that starts a broker with some settings, and ends it with the test."""

    def started(*settings: str) -> Broker:
        broker = Broker(tmp_path, settings)
        request.addfinalizer(broker.stop)
        broker.start()
        return broker

    return started


def encrypted(authority: Authority, *settings: str, address: str = "127.0.0.1") -> list[str]:
    certificate, key = authority.issue("broker", address)
    files = {"cafile": authority.certificate, "certfile": certificate, "keyfile": key}
    return [*(f"{name} {path}" for name, path in files.items()), *settings]


class OpenedLine(MqttLine):
    """A line that goes on while a test waits."""

    def __init__(self, settings: Vda5050Config, robot: VehicleIdentity = ROBOT) -> None:
        self.said: list[str] = []
        self.received = ReceivedMessages()
        will = OutgoingMessage(Topic.CONNECTION, "{}")
        self.selector = DefaultSelector()
        super().__init__(settings, robot, will, self.received, self.selector, log=self.said.append)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline_s
            serve_sockets(self.selector, 0.01)
            self.advance()


def settings_of(broker: Broker, *, is_encrypted: bool = True, **given: object) -> Vda5050Config:
    values = {"interface": "uagv", "manufacturer": "thymio", "version": "2.1.0", "user": "", "robots": ()}
    files = dict.fromkeys(("password_file", "ca_file", "cert_file", "key_file"), "")
    address = BrokerAddress("127.0.0.1", broker.port, is_encrypted)
    return Vda5050Config(broker=address, **{**values, **files, **{key: str(value) for key, value in given.items()}})


@contextmanager
def opened(settings: Vda5050Config, robot: VehicleIdentity = ROBOT) -> Iterator[OpenedLine]:
    """Yield a line that is connected, or has said why it is not."""
    line = OpenedLine(settings, robot)
    try:
        line.wait_for(lambda: line.is_connected or bool(line.said))
        yield line
    finally:
        line.close()


def outcome(broker: Broker, **given: object) -> str:
    """Return "connected", or why a line finds no connection."""
    with opened(settings_of(broker, **given)) as line:
        return "connected" if line.is_connected else line.said[0]


def test_an_encrypted_broker_of_the_right_authority_is_connected_to(authority: Authority, run) -> None:
    broker = run(*encrypted(authority, "allow_anonymous true"))
    assert outcome(broker, ca_file=authority.certificate) == "connected"


def test_a_broker_of_another_authority_is_named_with_its_cure(authority: Authority, run, tmp_path: Path) -> None:
    broker = run(*encrypted(authority, "allow_anonymous true"))
    text = outcome(broker, ca_file=Authority(tmp_path / "wrong").certificate)
    assert f"the broker mqtts://127.0.0.1:{broker.port} cannot be reached" in text
    assert "certificate verify failed" in text
    assert "check vda5050.ca_file" in text


def test_a_certificate_for_another_address_is_refused(authority: Authority, run) -> None:
    broker = run(*encrypted(authority, "allow_anonymous true", address="192.0.2.1"))
    assert "IP address mismatch" in outcome(broker, ca_file=authority.certificate)


def test_a_broker_that_requires_certificates_accepts_only_those_of_its_authority(
    authority: Authority, run, tmp_path: Path
) -> None:
    broker = run(*encrypted(authority, "require_certificate true", "allow_anonymous true"))
    certificate, key = authority.issue("connector")
    own = {"ca_file": authority.certificate, "cert_file": certificate, "key_file": key}
    assert outcome(broker, **own) == "connected"
    foreign, foreign_key = Authority(tmp_path / "other").issue("connector")
    for files in ({}, {"cert_file": foreign, "key_file": foreign_key}):
        assert outcome(broker, ca_file=authority.certificate, **files) != "connected"


def test_a_password_is_needed_where_the_broker_wants_one(authority: Authority, run, tmp_path: Path) -> None:
    passwords = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-c", "-b", str(passwords), "fleet", "secret"], check=True)
    broker = run(*encrypted(authority, "allow_anonymous false", f"password_file {passwords}"))
    ca_file = authority.certificate
    right, wrong = tmp_path / "right.txt", tmp_path / "wrong.txt"
    right.write_text("secret\n")
    wrong.write_text("other\n")
    assert outcome(broker, user="fleet", password_file=right, ca_file=ca_file) == "connected"
    for refused in ({"user": "fleet", "password_file": wrong}, {}):
        text = outcome(broker, ca_file=ca_file, **refused)
        assert "refuses the connection: Not authorized" in text
    with pytest.raises(BrokerError, match=r"password_file .*none\.txt cannot be read"):
        outcome(broker, user="fleet", password_file=tmp_path / "none.txt", ca_file=ca_file)


def test_an_unknown_key_is_named_before_anything_is_tried(authority: Authority, run) -> None:
    broker = run(*encrypted(authority, "allow_anonymous true"))
    certificate, _ = authority.issue("connector")
    with pytest.raises(BrokerError, match=r"certificates .* cannot be used .*connector\.crt"):
        outcome(broker, ca_file=authority.certificate, cert_file=certificate, key_file=certificate)


def test_a_broker_that_is_not_there_is_named(run) -> None:
    broker = run("allow_anonymous true")
    broker.stop()
    assert "cannot be reached: [Errno 111] Connection refused" in outcome(broker, is_encrypted=False)


def test_messages_for_others_are_not_received(run) -> None:
    settings = settings_of(run("allow_anonymous true"), is_encrypted=False)
    with opened(settings) as line, opened(settings, replace(ROBOT, serial="robot_2")) as other:
        line.subscribe((Topic.ORDER,))
        other.publish(OutgoingMessage(Topic.ORDER, "of robot 2"))
        line.publish(OutgoingMessage(Topic.STATE, "not subscribed to"))
        line.publish(OutgoingMessage(Topic.ORDER, "own"))
        line.wait_for(lambda: len(line.received) > 0)
        assert line.received.take(Topic.ORDER) == (b"own", False)
        assert line.received.take(Topic.STATE) is None
