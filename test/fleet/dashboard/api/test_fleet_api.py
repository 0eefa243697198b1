import asyncio
import contextlib
import json
from typing import Any

import pytest

from fleet.dashboard.access.roles import Role
from fleet.dashboard.access.token_ring import ProgramToken, TokenRing, token_digest
from fleet.dashboard.api.answer_schemas import ANSWERS
from fleet.dashboard.api.operations import OPERATIONS
from fleet.dashboard.model.alarms import Trouble
from fleet.dashboard.model.event_log import Severity
from fleet.dispatch.records.job import JobState
from harness.dashboard.api_client import ApiClient
from harness.dashboard.scripted_dashboard import KEYS, TOKENS
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.dashboard.server_stage import ServerStage, on_stage

_GO_HOME = {"robots": [1]}


def test_programs_read_the_fleet_in_the_documented_fields() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage, Role.VIEWER)
        status, robots = await program.get("/robots")
        assert (status, [robot["id"] for robot in robots["robots"]]) == (200, [1, 2, 3])
        assert robots["robots"][0].keys() == ANSWERS["robot_answer"]["properties"].keys()
        assert len(robots["robots"][0]["pose"]) == 3
        assert (await program.get("/robots/2"))[1] == robots["robots"][1]
        assert [place["name"] for place in (await program.get("/places"))[1]["places"]] == ["A", "B", "dock"]
        assert (await program.get("/fleet"))[1]["accepts_jobs"] is False
        for name in ("jobs", "tasks", "alarms"):
            assert (await program.get(f"/{name}"))[1] == {name: []}

    on_stage(scenario)


def test_job_is_submitted_and_read_until_its_end() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        body = {"kind": "transport", "places": [{"station": "A"}, {"station": "B"}], "id": "mes-1"}
        status, _ = await program.command("submit", body)
        assert status in (200, 202)
        await stage.let_pass(1.5)
        status, job = await program.get("/jobs/mes-1")
        assert (status, job["id"], job["ended_unix_s"]) == (200, "mes-1", None)
        assert [one["id"] for one in (await program.get(f"/jobs?state={job['state']}"))[1]["jobs"]] == ["mes-1"]
        assert (await program.get("/jobs?state=held"))[1]["jobs"] == []
        await program.command("change_jobs", {"jobs": ["mes-1"], "change": "cancel"})
        await stage.let_pass(1.5)
        job = (await program.get("/jobs/mes-1"))[1]
        assert job["state"] == "CANCELED"
        assert job["ended_unix_s"] > 1e9

    on_stage(scenario, ScriptedFleet(3, has_jobs=True))


def test_job_that_is_published_no_more_is_asked_for() -> None:
    fleet = ScriptedFleet(3, has_jobs=True)

    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        before = (await program.get("/jobs/mes-1"))[0]
        fleet.set_job("mes-1", JobState.SUCCEEDED, words="go_to A")
        fleet.old_jobs["mes-1"] = fleet.jobs.pop("mes-1")
        await stage.let_pass(1.5)
        status, job = await program.get("/jobs/mes-1")
        assert (before, status, job["state"], job["words"]) == (404, 200, "SUCCEEDED", "go_to A")
        assert job["ended_unix_s"] == pytest.approx(job["submitted_unix_s"])
        assert (await program.get("/jobs"))[1]["jobs"] == []

    on_stage(scenario, fleet)


def test_job_without_an_id_gets_an_id_that_its_command_prints() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        _, answer = await program.command("submit", {"kind": "go_to", "places": [{"station": "A"}]})
        job_id = answer["commands"][0]["job_id"]
        await stage.let_pass(1.5)
        assert (await program.get(f"/jobs/{job_id}"))[1]["words"] == "go_to A"

    on_stage(scenario, ScriptedFleet(3, has_jobs=True))


def test_command_answers_with_its_outcome_or_says_where_to_ask() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        answer, values = await program.answer("POST", "/commands/go_to?wait_s=0", goal())
        assert (answer.status, values["commands"][0]["by"]) == (202, "operator (operator)")
        path = answer.headers["Location"].removeprefix("/api/v1")
        waiting = asyncio.create_task(program.command("identify", {"robots": [2]}, "?wait_s=20"))
        await stage.let_pass(6.0)
        status, identified = await waiting
        assert (status, identified["commands"][0]["state"]) == (200, "done")
        assert (await program.get(path))[1]["state"] == "succeeded"

    on_stage(scenario)


def test_key_lets_a_request_be_sent_again() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program, other = ApiClient(stage), ApiClient(stage, Role.TEACHER)
        first = await program.command("go_to", goal(), Idempotency_Key="k1")
        again = await program.command("go_to", goal(), Idempotency_Key="k1")
        assert first[1]["commands"][0]["id"] == again[1]["commands"][0]["id"]
        assert len(stage.fleet.orders) == 1
        status, problem = await program.command("go_home", _GO_HOME, Idempotency_Key="k1")
        assert (status, "was used for another request" in problem["detail"]) == (409, True)
        assert (await other.command("go_home", _GO_HOME, Idempotency_Key="k1"))[0] == 202

    on_stage(scenario)


def test_stop_needs_no_more_than_a_token() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        status, answer = await ApiClient(stage, Role.VIEWER).ask("POST", "/commands/stop?wait_s=0")
        assert status in (200, 202)
        assert answer["stop"]["confirmed"][0]["robots"] == [1, 2, 3]
        assert stage.fleet.is_stopped

    on_stage(scenario)


def test_viewers_may_be_forbidden_to_stop_by_token() -> None:
    async def scenario(stage: ServerStage) -> None:
        status, problem = await ApiClient(stage, Role.VIEWER).ask("POST", "/commands/stop")
        assert (status, problem["detail"]) == (403, "The token of viewer is a viewer's; this takes operator.")

    on_stage(scenario, viewers_may_stop=False)


def test_rejected_command_is_a_problem_with_the_reason() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        far = {"goals": [{"robot": 1, "x_m": 90.0, "y_m": 0.6}]}
        waiting = asyncio.create_task(program.command("go_to", far, "?wait_s=20"))
        await stage.let_pass(1.0)
        status, problem = await waiting
        assert (status, problem["commands"][0]["state"]) == (409, "rejected")
        assert problem["detail"].startswith("OUT_OF_ARENA: ")

    on_stage(scenario)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "text"),
    [
        ("GET", "/robots/9", None, 404, "There is no robot 9; there are 1, 2, 3."),
        ("GET", "/jobs/none", None, 404, "There is no job 'none', or it was forgotten."),
        ("GET", "/nothing", None, 404, "Not Found."),
        ("GET", "/commands/c99", None, 404, "There is no command 'c99', or it was forgotten."),
        ("GET", "/commands/stop", None, 405, "GET is not for this address; it takes POST."),
        ("DELETE", "/robots", None, 405, "DELETE is not for this address; it takes GET."),
        ("DELETE", "/webhooks/none", None, 404, "There is no webhook 'none'."),
        ("GET", "/tasks?robot=x", None, 422, "robot: 'x' is not of type 'integer'"),
        ("GET", "/jobs?state=hold", None, 422, "state: 'hold' is unknown, did you mean 'held'?"),
        ("POST", "/commands/dock", {"robot": "1", "charger": {"station": "A"}}, 422, "robot: '1' is not of type"),
        ("GET", "/events?limit=0", None, 422, "limit: 0 is less than the minimum of 1"),
        ("GET", "/robots?limit=1", None, 422, "limit: unknown key; known: "),
        ("GET", "/jobs?state=a&state=b", None, 422, "state is given twice."),
        ("GET", "/events?after=x", None, 422, "after: 'x' does not fit: The id of an event."),
        ("POST", "/commands/go_to", b"{", 400, "the body is not JSON: "),
        ("POST", "/commands/go_to", {}, 422, "key 'goals' is missing"),
        ("POST", "/commands/go_home", {"robots": [8]}, 404, "robots[0]: there is no robot 8; there are 1, 2, 3"),
        ("POST", "/commands/submit", {"kind": "go_home"}, 404, "no driver accepts jobs"),
        ("POST", "/commands/push", {"robot": 1, "distance_m": 0.1}, 403, "this takes teacher"),
        ("POST", "/commands/drive", {}, 404, "Not Found."),
        ("POST", "/webhooks", {"url": "ftp://x", "events": ["job_ended"]}, 422, "url: 'ftp://x' does not fit"),
        ("POST", "/commands/stop", {"x": 1}, 422, "x: unknown key"),
    ],
)
def test_wrong_request_is_a_problem_that_names_what_is_wrong(
    method: str, path: str, body: Any, status: int, text: str
) -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        answer, problem = await ApiClient(stage).answer(method, path, body)
        assert (answer.status, answer.content_type) == (status, "application/problem+json")
        assert problem["status"] == status
        assert text in problem["detail"]
        assert problem.keys() <= ANSWERS["problem"]["properties"].keys()

    on_stage(scenario)


def test_all_mistakes_of_a_body_are_listed() -> None:
    async def scenario(stage: ServerStage) -> None:
        body = {"goals": [{"robot": "1", "x_m": 5000, "y_m": 0}]}
        _, problem = await ApiClient(stage).command("go_to", body)
        assert [one["field"] for one in problem["problems"]] == ["goals[0].robot", "goals[0].x_m"]

    on_stage(scenario)


def test_body_must_be_plain_json_of_moderate_size() -> None:
    async def scenario(stage: ServerStage) -> None:
        program = ApiClient(stage)
        assert (await program.command("go_home", b"x" * 70_000))[0] == 413
        assert (await program.command("go_home", _GO_HOME, Content_Type="text/plain"))[0] == 415
        assert (await program.command("go_home", _GO_HOME, Content_Encoding="gzip"))[0] == 415

    on_stage(scenario)


def test_token_works_in_the_header_alone() -> None:
    async def scenario(stage: ServerStage) -> None:
        text = TOKENS[Role.OPERATOR]
        stranger = ApiClient(stage, None)
        for path in ("/robots", f"/robots?access_token={text}", f"/robots?token={text}", f"/robots?key={text}"):
            answer, problem = await stranger.answer("GET", path)
            assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, 'Bearer realm="thymio_fleet"')
            assert "dashboard token add" in problem["detail"]
        cookies = {"Cookie": f"thymio_fleet_{stage.port}={text}; token={text}"}
        assert (await stranger.get("/robots", **cookies))[0] == 401
        assert (await stranger.get("/robots", Authorization=f"Basic {text}"))[0] == 401
        assert (await stranger.get("/robots", Authorization=f"Bearer {KEYS[Role.OPERATOR]}"))[0] == 401
        assert (await ApiClient(stage).get("/robots"))[0] == 200

    on_stage(scenario)


def test_cookie_of_a_browser_opens_nothing_of_the_api() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = await stage.browser().login(Role.OPERATOR)
        assert (await browser.get("/api/v1/robots"))[0] == 401
        status, _ = await browser.post("v1/commands/go_home", _GO_HOME)
        assert status == 401

    on_stage(scenario)


def test_token_does_not_command_in_the_place_of_a_page() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        bearer = f"Bearer {TOKENS[Role.OPERATOR]}"
        browser = stage.browser()
        assert (await browser.post("go_home", _GO_HOME, Authorization=bearer))[0] == 403
        assert (await browser.post("stop", {}, Authorization=bearer, Origin=None))[0] == 403
        assert (await browser.get("/metrics", headers={"Authorization": bearer}))[0] == 200
        assert (await browser.get("/metrics", headers={"Authorization": "Bearer x"}))[0] == 401

    on_stage(scenario)


def test_revoked_token_ends_within_a_second() -> None:
    valid = [ProgramToken("mes", Role.OPERATOR, token_digest("tf_mes"), 0.0)]

    async def scenario(stage: ServerStage) -> None:
        program = ApiClient(stage, "tf_mes")
        async with program.events() as reader:
            assert (await program.get("/fleet"))[0] == 200
            valid.clear()
            await stage.let_pass(1.1)
            assert (await program.get("/fleet"))[0] == 401
            assert await asyncio.wait_for(reader.answer.content.read(), 20.0) is not None

    on_stage(scenario, tokens=TokenRing(lambda: valid))


def test_programs_have_rate_limits_of_their_own() -> None:
    async def scenario(stage: ServerStage) -> None:
        program, other, stranger = ApiClient(stage), ApiClient(stage, Role.TEACHER), ApiClient(stage, "wrong")
        await stage.let_pass(1.5)
        statuses = [(await program.get("/fleet"))[0] for _ in range(51)]
        assert (statuses.count(200), statuses[-1]) == (50, 429)
        assert (await other.get("/fleet"))[0] == 200
        assert (await program.ask("POST", "/commands/stop?wait_s=0"))[0] in (200, 202)
        assert [(await stranger.get("/fleet"))[0] for _ in range(21)] == [401] * 20 + [429]
        assert (await other.get("/fleet"))[0] == 200
        stage.now_ns += 1_000_000_000
        assert (await program.get("/fleet"))[0] == 200

    on_stage(scenario)


def test_events_are_read_in_pieces() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        found = (await program.get("/events"))[1]
        assert found["is_complete"] is True
        ids = [event["id"] for event in found["events"]]
        assert (await program.get(f"/events?after={ids[0]}&limit=1"))[1]["events"][0]["id"] == ids[1]
        assert (await program.get(f"/events?after={ids[-1]}"))[1] == {"events": [], "is_complete": True}
        assert [event["id"] for event in (await program.get("/events?after=0-7"))[1]["events"]] == ids

    on_stage(scenario)


def test_stream_of_events_goes_on_where_it_broke_off() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        async with program.events() as reader:
            await program.command("go_home", _GO_HOME)
            first = await reader.next()
        assert (first["event"], json.loads(first["data"])["text"]) == ("command", "robot 1: go_home")
        await program.command("identify", {"robots": [2]})
        async with program.events(first["id"]) as reader:
            texts = [json.loads((await reader.next())["data"])["text"] for _ in range(1)]
        assert texts == ["robot 2: identify"]

    on_stage(scenario)


def test_reader_learns_how_many_events_it_has_missed() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        last = (await program.get("/events"))[1]["events"][0]["id"]
        for number in range(600):
            stage.server.board.story.alarms.advance({str(number): trouble()}, number * 5_000_000_000)
            stage.server.board.story.alarms.advance({str(number): trouble()}, number * 5_000_000_000 + 2_000_000_000)
        async with program.events(last) as reader:
            missed = await reader.next()
        assert missed["event"] == "missed"
        assert json.loads(missed["data"])["count"] > 0
        assert (await program.get(f"/events?after={last}"))[1]["is_complete"] is False

    on_stage(scenario)


def test_reader_that_takes_nothing_delays_no_other_reader() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        program = ApiClient(stage)
        async with program.events("0-0"), program.events() as other:
            await program.command("go_home", _GO_HOME)
            assert (await other.next())["event"] == "command"
            assert (await program.get("/fleet"))[0] == 200

    on_stage(scenario)


def test_number_of_readers_is_limited() -> None:
    async def scenario(stage: ServerStage) -> None:
        program = ApiClient(stage)
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(20):
                await stack.enter_async_context(program.events())
            assert (await program.get("/events/stream"))[0] == 429

    on_stage(scenario)


def test_document_is_served_to_everybody_and_names_every_operation() -> None:
    async def scenario(stage: ServerStage) -> None:
        status, document = await ApiClient(stage, None).get("/openapi.json")
        assert (status, document["openapi"]) == (200, "3.1.0")
        named = {one["operationId"] for path in document["paths"].values() for one in path.values()}
        assert named == {operation.name for operation in OPERATIONS}
        assert "$defs" not in json.dumps(document)

    on_stage(scenario)


def goal() -> dict[str, Any]:
    return {"goals": [{"robot": 1, "x_m": 0.9, "y_m": 0.6}]}


def trouble() -> Trouble:
    return Trouble("other", Severity.WARNING, "something")
