"""Control over ROS: the services of simulation_interfaces and additional ones, all below /simulator/."""

import functools
import re
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from simulation_interfaces.msg import EntityCategory, EntityFilters, EntityState, Result, SimulationState
from simulation_interfaces.msg import SimulatorFeatures as Features
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityState,
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetEntityState,
    SetSimulationState,
    SpawnEntity,
)
from thymio_simulator_interfaces.srv import (
    AttachObject,
    DetachObject,
    PressButton,
    SetBattery,
    SetCapture,
    SetLink,
    SetSpeedFactor,
)

from simulator.ros.place_messages import FRAME, place_from_ros, pose_to_ros
from simulator.simulation.name_filter import name_pattern
from simulator.simulation.refusal import Refusal, RefusedError
from simulator.simulation.simulation_control import Control, Entity, Link, State
from simulator.simulation.spawning import SpawnRequest, spawn
from thymio_base.texts.shortened import shortened

PREFIX = "/simulator"
_FEATURES = (
    Features.SPAWNING,
    Features.DELETING,
    Features.ENTITY_CATEGORIES,
    Features.SPAWNING_RESOURCE_STRING,
    Features.ENTITY_STATE_GETTING,
    Features.ENTITY_STATE_SETTING,
    Features.SIMULATION_RESET,
    Features.SIMULATION_RESET_TIME,
    Features.SIMULATION_RESET_STATE,
    Features.SIMULATION_RESET_SPAWNED,
    Features.SIMULATION_STATE_GETTING,
    Features.SIMULATION_STATE_SETTING,
    Features.SIMULATION_STATE_PAUSE,
    Features.STEP_SIMULATION_SINGLE,
    Features.STEP_SIMULATION_MULTIPLE,
)
_STATES = {
    SimulationState.STATE_STOPPED: State.STOPPED,
    SimulationState.STATE_PLAYING: State.PLAYING,
    SimulationState.STATE_PAUSED: State.PAUSED,
}
_LINKS = {
    SetLink.Request.LINK_CONNECTED: Link.CONNECTED,
    SetLink.Request.LINK_SILENT: Link.SILENT,
    SetLink.Request.LINK_DISCONNECTED: Link.DISCONNECTED,
}
_CODES = {
    Refusal.NOT_FOUND: Result.RESULT_NOT_FOUND,
    Refusal.WRONG_STATE: Result.RESULT_INCORRECT_STATE,
    Refusal.UNSUPPORTED: Result.RESULT_FEATURE_UNSUPPORTED,
}  # for all services; other refusals are RESULT_OPERATION_FAILED
_OWN_CODES = {
    (SpawnEntity, Refusal.BAD_PLACE): SpawnEntity.Response.INVALID_POSE,
    (SpawnEntity, Refusal.BAD_NAME): SpawnEntity.Response.NAME_INVALID,
    (SpawnEntity, Refusal.NAME_TAKEN): SpawnEntity.Response.NAME_NOT_UNIQUE,
    (SpawnEntity, Refusal.UNKNOWN_KIND): SpawnEntity.Response.UNSUPPORTED_FORMAT,
    (SpawnEntity, Refusal.BAD_DESCRIPTION): SpawnEntity.Response.RESOURCE_PARSE_ERROR,
    (SetEntityState, Refusal.BAD_PLACE): SetEntityState.Response.INVALID_POSE,
    (SetSimulationState, Refusal.ALREADY_THERE): SetSimulationState.Response.ALREADY_IN_TARGET_STATE,
}

Handler = Callable[[Any, Any], None]


class ControlInterface:
    """Serves all ROS requests except those for steps.

    Parameters
    ----------
    control : fulfils or refuses the requests
    node : provides the services
    clock_ns : clock that the pace follows
    stamp : returns the stamp of poses
    """

    def __init__(
        self,
        control: Control,
        node: Node,
        clock_ns: Callable[[], int],
        stamp: Callable[[], Any],
    ) -> None:
        self._control = control
        self._clock_ns = clock_ns
        self._stamp = stamp
        node.create_service(GetSimulatorFeatures, f"{PREFIX}/get_simulator_features", _features)
        for kind, handler in self._handlers().items():
            name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
            node.create_service(kind, f"{PREFIX}/{name}", functools.partial(_answer, kind, handler))

    def _handlers(self) -> dict[type, Handler]:
        return {
            ResetSimulation: self._reset,
            GetSimulationState: self._report_state,
            SetSimulationState: self._set_state,
            SpawnEntity: self._spawn,
            DeleteEntity: lambda request, _: self._control.delete(request.entity),
            GetEntities: self._report_entities,
            GetEntitiesStates: self._report_entities_states,
            GetEntityState: self._report_entity_state,
            SetEntityState: self._set_entity_state,
            SetSpeedFactor: lambda request, _: self._control.set_speed_factor(request.factor, self._clock_ns()),
            SetBattery: lambda request, _: self._control.set_charge(request.entity, request.charge),
            PressButton: lambda request, _: self._control.press(request.entity, request.button, request.duration_s),
            SetCapture: lambda request, _: self._control.set_capture(request.entity, is_seen=request.is_seen),
            SetLink: self._set_link,
            AttachObject: lambda request, _: self._control.attach(request.entity, request.object),
            DetachObject: lambda request, _: self._control.detach(request.object),
        }

    def _reset(self, request: ResetSimulation.Request, _: ResetSimulation.Response) -> None:
        kind = ResetSimulation.Request
        scope = kind.SCOPE_ALL if request.scope == kind.SCOPE_DEFAULT else request.scope
        supported = kind.SCOPE_TIME | kind.SCOPE_STATE | kind.SCOPE_SPAWNED
        if not scope & supported:
            raise RefusedError(Refusal.UNSUPPORTED, f"scope {scope} is not one of time, state and spawned")
        self._control.reset(
            time=bool(scope & kind.SCOPE_TIME),
            state=bool(scope & kind.SCOPE_STATE),
            spawned=bool(scope & kind.SCOPE_SPAWNED),
        )

    def _report_state(self, _: GetSimulationState.Request, response: GetSimulationState.Response) -> None:
        codes = {state: code for code, state in _STATES.items()}
        response.state.state = codes[self._control.state]

    def _set_state(self, request: SetSimulationState.Request, _: SetSimulationState.Response) -> None:
        code = request.state.state
        if code not in _STATES:
            raise RefusedError(Refusal.UNSUPPORTED, f"state {code} is not one of stopped, playing and paused")
        self._control.set_state(_STATES[code], self._clock_ns())

    def _spawn(self, request: SpawnEntity.Request, response: SpawnEntity.Response) -> None:
        if request.entity_namespace:
            raise RefusedError(
                Refusal.UNSUPPORTED,
                f"entity_namespace {shortened(request.entity_namespace)!r} is not supported; leave it empty",
            )
        spawn_request = SpawnRequest(
            kind=request.entity_resource.uri,
            name=request.name,
            may_rename=request.allow_renaming,
            place=place_from_ros(request.initial_pose.header.frame_id, request.initial_pose.pose),
            description=request.entity_resource.resource_string,
        )
        response.entity_name = spawn(self._control, spawn_request)

    def _report_entities(self, request: GetEntities.Request, response: GetEntities.Response) -> None:
        response.entities = [entity.name for entity in self._filtered(request.filters)]

    def _report_entities_states(self, request: GetEntitiesStates.Request, response: GetEntitiesStates.Response) -> None:
        response.entities = [entity.name for entity in self._filtered(request.filters)]
        response.states = [self._state_of(name) for name in response.entities]

    def _report_entity_state(self, request: GetEntityState.Request, response: GetEntityState.Response) -> None:
        response.state = self._state_of(request.entity)

    def _set_entity_state(self, request: SetEntityState.Request, _: SetEntityState.Response) -> None:
        # before version 2.1 of simulation_interfaces these three flags did not exist, and everything was set
        if getattr(request, "set_twist", False) or getattr(request, "set_acceleration", False):
            raise RefusedError(Refusal.UNSUPPORTED, f"{request.entity}: twist and acceleration cannot be set")
        self._control.place(request.entity)
        if getattr(request, "set_pose", True):
            self._control.teleport(request.entity, place_from_ros(request.state.header.frame_id, request.state.pose))

    def _set_link(self, request: SetLink.Request, _: SetLink.Response) -> None:
        if request.link not in _LINKS:
            raise RefusedError(Refusal.BAD_VALUE, f"link {request.link} is not in 0 to 2")
        self._control.set_link(request.entity, _LINKS[request.link])

    def _filtered(self, filters: EntityFilters) -> list[Entity]:
        if filters.tags.tags or filters.bounds.type:
            raise RefusedError(Refusal.UNSUPPORTED, "entities cannot be filtered by tags or bounds")
        try:
            pattern = name_pattern(filters.filter)
        except ValueError as error:
            raise RefusedError(Refusal.BAD_VALUE, f"filter {shortened(filters.filter)!r}: {error}") from error
        requested = {category.category for category in filters.categories}
        return [
            entity
            for entity in self._control.entities()
            if pattern.fullmatch(entity.name) and (not requested or requested & _categories(entity))
        ]

    def _state_of(self, name: str) -> EntityState:
        state = EntityState()
        state.header.frame_id = FRAME
        state.header.stamp = self._stamp()
        state.pose = pose_to_ros(*self._control.place(name))
        state.twist.linear.x, state.twist.linear.y = self._control.velocity_mps(name)
        return state


def _answer(kind: type, handler: Handler, request: Any, response: Any) -> Any:
    """Fulfil a request, or report why it was refused."""
    response.result.result = Result.RESULT_OK
    try:
        handler(request, response)
    except RefusedError as error:
        general = _CODES.get(error.refusal, Result.RESULT_OPERATION_FAILED)
        response.result.result = _OWN_CODES.get((kind, error.refusal), general)
        response.result.error_message = str(error)
    return response


def _features(_: Any, response: GetSimulatorFeatures.Response) -> GetSimulatorFeatures.Response:
    response.features.features = list(_FEATURES)
    response.features.custom_info = "thymio_simulator; its documentation is docs/simulator.md"
    return response


def _categories(entity: Entity) -> set[int]:
    if entity.is_robot:
        return {EntityCategory.CATEGORY_ROBOT}
    moves = EntityCategory.CATEGORY_DYNAMIC_OBJECT if entity.is_movable else EntityCategory.CATEGORY_STATIC_OBJECT
    return {EntityCategory.CATEGORY_OBJECT, moves}
