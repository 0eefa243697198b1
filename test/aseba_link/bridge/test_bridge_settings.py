import pytest

from aseba_link.bridge.acceptance import Rule
from aseba_link.bridge.bridge_settings import read_parameters
from thymio_base.errors import SettingsError


def test_defaults_are_safe() -> None:
    settings = read_parameters({})
    assert (settings.targets, settings.rules, settings.script_path) == ((), (), "")
    assert settings.reset_on_closing
    assert not settings.shutdown_on_unconnect


def test_parameters_of_a_launch_file_are_read() -> None:
    settings = read_parameters(
        {
            "targets": ["ser:name=Thymio", "tcp:host=localhost;port=33334"],
            "port": 44444,
            "highest_acceptable_protocol_version": 100,
            "nodes.thymio.name": "thymio-II",
            "nodes.thymio.prefix": "thymio_",
            "nodes.thymio.maximal_number": 0,
            "nodes.thymio.include_id_in_events": True,
            "nodes.other.accept": False,
            "script.path": "/tmp/thymio.aesl",
            "script.constants.MOTOR_PERIOD": 5,
            "use_sim_time": False,
            "diagnostic_updater.period": 1.0,
        }
    )
    assert settings.port == 44444
    assert settings.rules == (
        Rule(name="thymio-II", prefix="thymio_", include_id_in_events=True),
        Rule(accept=False),
    )
    assert settings.script_constants == {"MOTOR_PERIOD": 5}


@pytest.mark.parametrize(
    ("parameters", "rule"),
    [
        ({"nodes.a.max_number": 2}, Rule(maximal_number=2)),
        ({"nodes.a.type": "e-puck0"}, Rule(name="e-puck0")),
        ({"nodes.a.id": 7}, Rule(id=7)),
    ],
)
def test_names_from_the_documentation_are_accepted(parameters: dict[str, object], rule: Rule) -> None:
    assert read_parameters(parameters).rules == (rule,)


def test_reload_alias_of_launch_files_is_accepted() -> None:
    assert not read_parameters({"reload_script_on_reconnect": False}).reload_on_reconnect


def test_all_problems_of_the_parameters_are_reported_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        read_parameters({"prot": 44444, "port": 70000, "nodes.a.prefx": "x", "script.constants.N": 40000})
    assert sorted(caught.value.problems) == [
        "parameter: nodes.a.prefx: unknown key, did you mean 'prefix'?",
        "parameter: port: 70000 is greater than the maximum of 65535",
        "parameter: prot: unknown key, did you mean 'port'?",
        "parameter: script.constants.N: 40000 is greater than the maximum of 32767",
    ]


def test_wrong_targets_and_contradicting_rules_are_reported() -> None:
    with pytest.raises(SettingsError) as caught:
        read_parameters({"targets": ["ftp:x"], "nodes.a.name": "n", "nodes.b.name": "n"})
    assert caught.value.problems[0].startswith("parameter: targets[0]: ")
    assert caught.value.problems[1] == "parameter: nodes.b: is for the same nodes as nodes.a"


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"script": "x.aesl", "script.path": "y.aesl"}, "script: cannot be a value and hold script.path"),
        ({"nodes": 5, "nodes.a.name": "n"}, "nodes: cannot be a value and hold nodes.a.name"),
        ({"nodes.a.name": "n", "nodes.a.type": "m"}, "nodes.a.type: is the same as nodes.a.name"),
        (
            {"reload_script_on_reconnect": True, "script.reload_on_reconnect": False},
            "script.reload_on_reconnect: is the same as reload_script_on_reconnect",
        ),
        ({"nodes.a.prefix": "my thymio"}, "nodes.a.prefix: 'my thymio' does not fit: it has ' '"),
        ({"nodes.a.namespace": "a//b"}, "nodes.a.namespace: 'a//b' does not fit: a name is missing"),
        ({"nodes.a.namespace": "a\n"}, "nodes.a.namespace: 'a\\n' does not fit: it has '\\n'"),
        ({"nodes.a.namespace": "1st"}, "nodes.a.namespace: '1st' does not fit"),
        ({"targets": None}, "targets: None is not of type 'array'"),
    ],
)
def test_impossible_parameters_are_reported(parameters: dict[str, object], problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_parameters(parameters)
    assert f"parameter: {problem}" in caught.value.problems[0]


def test_namespace_may_start_with_a_slash_and_have_several_parts() -> None:
    assert read_parameters({"nodes.a.namespace": "/factory/robot_1"}).rules[0].namespace == "/factory/robot_1"
