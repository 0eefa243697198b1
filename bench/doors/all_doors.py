"""The list of all doors."""

from bench.doors.command_door import command_door
from bench.doors.door import Door
from bench.doors.file_doors import file_door
from bench.doors.in_process import reader_doors
from bench.doors.page_doors import PageLive, PageRequests
from bench.doors.requests.messages import Messages
from bench.doors.requests.words import WORDS
from bench.doors.ros_access import RosAccess, RosTools
from bench.doors.service_doors import ServiceDoor, is_action, is_parameters, is_plain
from bench.doors.socket_doors import LinkDoor, LocalDoor, TargetDoor
from bench.doors.topic_doors import TopicDoor
from bench.doors.tried_programs import TriedPrograms

_WITH_ACTIONS = ("driver", "coupler")
_WITH_SERVICES = ("driver", "simulator", "bridge", "coupler")
_WITH_PARAMETERS = (*_WITH_SERVICES, "arm")
_WITH_NODES = ("driver", "simulator", "bridge", "coupler", "arm", "dashboard")


def all_doors(programs: TriedPrograms, ros: RosAccess, seed: int) -> list[Door]:
    """Return all doors of all programs."""
    tools = RosTools(ros, Messages(WORDS), seed, programs.has_ended)
    doors: list[Door] = []
    for program in _WITH_NODES:
        kinds = {
            "goals": is_action if program in _WITH_ACTIONS else None,
            "services": is_plain if program in _WITH_SERVICES else None,
            "parameters": is_parameters if program in _WITH_PARAMETERS else None,
        }
        for kind, is_ours in kinds.items():
            if is_ours is not None:
                name = f"{program} {kind}"
                doors.append(ServiceDoor(name, program, tools, is_ours))
        if program != "simulator":
            doors.append(TopicDoor(f"{program} topics", program, tools))
    return [*doors, *_socket_doors(programs, seed), *reader_doors(seed), file_door(seed), command_door(seed)]


def _socket_doors(programs: TriedPrograms, seed: int) -> list[Door]:
    return [
        LinkDoor("simulator link", "simulator", programs.link_port, programs, seed),
        LinkDoor("driver switch", "driver", programs.switch_port, programs, seed),
        TargetDoor("driver target", "driver", programs.hostile_ports[0], programs, seed),
        TargetDoor("bridge target", "bridge", programs.hostile_ports[1], programs, seed),
        LocalDoor(programs, seed),
        PageRequests(programs, seed),
        PageLive(programs, seed),
    ]
