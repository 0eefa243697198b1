"""Waits until all programs answer, and restores what accepted requests have stopped, unplugged or removed."""

from typing import Final

from rbc_msgs_srvs.srv import RbcL2Ctrl
from simulation_interfaces.srv import ResetSimulation, SetSimulationState
from std_srvs.srv import Trigger
from thymio_fleet_interfaces.srv import LoadScript, SetDuty
from thymio_simulator_interfaces.srv import SetSpeedFactor

from bench.doors.ros_access import RosAccess

_NODES: Final = {
    "driver": "multi_thymio_driver",
    "simulator": "thymio_simulator",
    "bridge": "bridged/asebaros",
    "coupler": "rbc",
    "arm": "rbc_arm",
}


def silent_programs(ros: RosAccess, patience_s: float) -> list[str]:
    """Wait until all programs answer; return those that did not in time."""
    silent = [program for program, node in _NODES.items() if not ros.ask(node, patience_s)]
    ros.settle(patience_s)
    return silent


def restore(ros: RosAccess, programs: tuple[str, ...], patience_s: float) -> list[str]:
    """Make the robots and reachers of programs usable again; return the services that did not answer in time."""
    orders = [order for program, *order in _ORDERS if program in programs]
    return [name for name, kind, request in orders if ros.call(name, kind, request, patience_s) is None]


def _playing() -> SetSimulationState.Request:
    request = SetSimulationState.Request()
    request.state.state = request.state.STATE_PLAYING
    return request


_ORDERS: Final = (
    ("simulator", "/simulator/set_speed_factor", SetSpeedFactor, SetSpeedFactor.Request(factor=1.0)),
    ("simulator", "/simulator/reset_simulation", ResetSimulation, ResetSimulation.Request()),
    ("simulator", "/simulator/set_simulation_state", SetSimulationState, _playing()),
    ("driver", "/aseba/x/load_script", LoadScript, LoadScript.Request()),
    ("driver", "/fleet/resume", Trigger, Trigger.Request()),
    ("driver", "/fleet/robots/duty", SetDuty, SetDuty.Request(duty="on")),
    *(
        ("coupler", "/rbc_l2_ctrl", RbcL2Ctrl, RbcL2Ctrl.Request(cmd="create_re", data=kind, name=f"{kind}0"))
        for kind in ("VF", "JR", "SC", "TC")
    ),
)
