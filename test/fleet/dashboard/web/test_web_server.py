import re

from fleet.dashboard.access.roles import Role
from fleet.dashboard.model.pose_frames import HEADER
from harness.dashboard.scripted_dashboard import KEYS
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.dashboard.server_stage import ServerStage, on_stage


def test_every_answer_forbids_foreign_content_and_framing() -> None:
    async def scenario(stage: ServerStage) -> None:
        session = stage.browser().session
        for path in ("/palette.css", "/words.json", "/api/state", "/nowhere", "/metrics"):
            async with session.get(stage.url + path) as answer:
                policy = answer.headers["Content-Security-Policy"]
                assert policy.startswith("default-src 'self';")
                assert "frame-ancestors 'none'" in policy
                assert "unsafe" not in policy
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert not [name for name in answer.headers if name.startswith("Access-Control")]

    on_stage(scenario)


def test_key_in_the_address_becomes_a_cookie_that_scripts_cannot_read() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = stage.browser()
        async with browser.session.get(f"{stage.url}/?key={KEYS[Role.OPERATOR]}", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/")
            cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith(f"thymio_fleet_{stage.port}=operator.")
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
        await stage.let_pass(1.5)
        assert (await browser.post("identify", {"robots": [1]}))[0] == 200

    on_stage(scenario)


def test_key_that_was_used_is_refused_with_a_page_for_people() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = stage.browser()
        async with browser.session.get(f"{stage.url}/?key=used", allow_redirects=False) as answer:
            assert (answer.status, answer.content_type) == (401, "text/html")
            assert "Set-Cookie" not in answer.headers
            text = await answer.text()
        assert "This key is not ours, or was used." in text
        assert '<link rel="stylesheet" href="/page/style.css">' in text  # it looks like the page
        assert '<a href="/">' in text

    on_stage(scenario)


def test_browser_on_this_machine_sees_without_a_key_and_commands_with_one() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        guest, operator = stage.browser(), await stage.browser().login(Role.OPERATOR)
        assert (await guest.get("/api/state"))[0] == 200
        status, error = await guest.post("go_home", {"robots": [1]})
        assert (status, error["error"]["code"]) == (403, "not_allowed")
        assert error["error"]["text"] == "A viewer may not go home: it takes the key of an operator."
        assert (await operator.post("go_home", {"robots": [1]}))[0] == 200

    on_stage(scenario)


def test_command_is_answered_with_its_entry_and_can_be_followed_without_a_socket() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        status, answer = await browser.post("go_to", {"goals": [{"robot": 1, "x_m": 0.9, "y_m": 0.6}]})
        command = answer["commands"][0]
        assert (status, command["state"], command["by"]) == (200, "sent", "s1 (operator)")
        await stage.let_pass(4.0)
        assert (await browser.get(f"/api/commands/{command['id']}"))[1]["state"] == "succeeded"
        status, error = await browser.get("/api/commands/c99")
        assert (status, error["error"]["code"]) == (404, "not_found")

    on_stage(scenario)


def test_answer_to_stop_lists_the_confirmations() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        status, answer = await stage.browser().post("stop", {})  # a viewer
        assert status == 200
        assert answer["stop"]["confirmed"][0]["robots"] == [1, 2, 3]
        assert (await stage.browser().post("resume", {}))[0] == 403
        operator = await stage.browser().login(Role.OPERATOR)
        await stage.let_pass(1.0)
        assert (await operator.post("resume", {}))[0] == 200
        await stage.let_pass(0.2)
        assert not stage.fleet.is_stopped

    on_stage(scenario)


def test_viewers_may_be_forbidden_to_stop() -> None:
    async def scenario(stage: ServerStage) -> None:
        assert (await stage.browser().post("stop", {}))[0] == 403
        assert (await (await stage.browser().login(Role.OPERATOR)).post("stop", {}))[0] == 200

    on_stage(scenario, viewers_may_stop=False)


def test_faults_take_a_teacher_and_a_simulator() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        push = {"robot": 1, "distance_m": 0.1}
        status, error = await (await stage.browser().login(Role.OPERATOR)).post("push", push)
        assert (status, error["error"]["text"]) == (403, "An operator may not push: it takes the key of a teacher.")
        assert (await (await stage.browser().login(Role.TEACHER)).post("push", push))[0] == 200

    async def without(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        teacher = await stage.browser().login(Role.TEACHER)
        status, error = await teacher.post("push", {"robot": 1, "distance_m": 0.1})
        assert (status, error["error"]["text"]) == (403, "push exists in simulation alone, and no simulator runs.")

    on_stage(scenario)
    on_stage(without, ScriptedFleet(3, has_simulator=False))


def test_name_appears_in_what_its_user_does() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        await browser.post("name", {"name": "Anna"})
        _, answer = await browser.post("identify", {"robots": [1]})
        assert answer["commands"][0]["by"] == "Anna (operator)"
        events = (await browser.get("/api/events"))[1]["events"]
        assert ("robot 1: identify", "Anna (operator)") in [(event["text"], event["by"]) for event in events]

    on_stage(scenario)


def test_history_is_a_row_of_frames() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(4.0)
        browser = stage.browser()
        status, data = await browser.get("/api/history?from_s=1&to_s=3")
        assert status == 200
        times_s, offset = [], 0
        while offset < len(data):
            header = HEADER.unpack_from(data, offset)
            times_s.append(header[4])
            offset += 24 + 16 * (header[2] + header[5])
        assert offset == len(data)
        assert times_s == sorted(times_s)
        assert 1.0 <= times_s[0] <= times_s[-1] <= 3.0
        assert (await browser.get("/api/history?from_s=abc"))[0] == 400

    on_stage(scenario)


def test_series_of_a_robot() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(3.5)
        status, series = await stage.browser().get("/api/series?robot=1&seconds=60")
        assert (status, len(series["time_s"]), series["battery_pct"]) == (200, 4, [94.0] * 4)
        assert (await stage.browser().get("/api/series?robot=9"))[0] == 404

    on_stage(scenario)


def test_metrics_are_in_the_format_of_prometheus() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        await browser.post("go_to", {"goals": [{"robot": 1, "x_m": 0.7, "y_m": 0.6}, {"robot": 2, "x_m": 9, "y_m": 9}]})
        await stage.let_pass(3.0)
        text = (await browser.get("/metrics"))[1].decode()
        sample = re.compile(r'^[a-z_]+(\{([a-z]+="[^"\n]*",?)*\})? -?[0-9.e+-]+$')
        assert all(sample.match(line) for line in text.splitlines() if not line.startswith("# "))
        lines = text.splitlines()
        assert 'thymio_fleet_info{version="0.1.0",distro="jazzy"} 1' in lines
        assert 'thymio_fleet_robot_up{robot="1"} 1' in lines
        assert 'thymio_fleet_tasks_total{kind="go_to",result="SUCCEEDED",reason=""} 1' in lines
        assert 'thymio_fleet_goals_rejected_total{reason="OUT_OF_ARENA"} 1' in lines
        assert 'thymio_fleet_task_duration_seconds_bucket{kind="go_to",le="+Inf"} 1' in lines
        assert 'thymio_fleet_driver_ticks_total{host="lab-pc"} 100' in lines
        assert 'thymio_fleet_link_up{host="lab-pc",target="tcp:host=127.0.0.1"} 1' in lines

    on_stage(scenario)


def test_qr_code_is_for_operators_of_a_server_that_phones_reach() -> None:
    async def scenario(stage: ServerStage) -> None:
        status, error = await (await stage.browser().login(Role.OPERATOR)).get("/qr.svg")
        assert (status, "--host 0.0.0.0" in error["error"]["text"]) == (404, True)

    async def reachable(stage: ServerStage) -> None:
        assert (await stage.browser().get("/qr.svg"))[0] == 403
        status, data = await (await stage.browser().login(Role.OPERATOR)).get("/qr.svg")
        assert (status, data[:4]) == (200, b"<svg")

    on_stage(scenario)
    on_stage(reachable, reachable="lab-pc")


def test_readiness_is_answered_without_a_key_and_by_the_status() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = stage.browser()
        status, answer = await browser.get("/ready")
        assert (status, answer["ready"], answer["parts"]["driver"]["state"]) == (503, False, "not_ready")
        await stage.let_pass(1.5)
        status, answer = await browser.get("/ready")
        assert (status, answer["ready"], answer["parts"]["link"]["state"]) == (200, True, "ready")
        stage.fleet.is_connected = False
        await stage.let_pass(2.5)
        status, answer = await browser.get("/ready")
        assert (status, answer["ready"], answer["parts"]["link"]["state"]) == (503, False, "not_ready")
        assert await browser.get("/health") == (200, {"ok": True})

    on_stage(scenario)
