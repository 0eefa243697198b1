from fleet.dashboard.access.roles import Role
from fleet.dashboard.model.pose_frames import HEADER
from harness.dashboard.server_stage import Page, ServerStage, ids_of, on_stage


def number(frame: bytes) -> int:
    found: int = HEADER.unpack_from(frame)[3]
    return found


async def shown(stage: ServerStage, role: Role = Role.OPERATOR) -> Page:
    """Return a connected page that has everything."""
    page = await (await stage.browser().login(role)).open()
    await stage.until(lambda: len(page.entries("robots")) == 3 and bool(page.frames), "robots", passing=True)
    return page


def test_page_gets_hello_then_everything_then_frames() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        page = await shown(stage)
        assert (page.hello["protocol"], page.hello["role"], page.hello["is_simulation"]) == (1, "operator", True)
        assert {"go_to", "stop", "drive"} <= set(page.hello["may"])
        assert "push" not in page.hello["may"]
        assert page.updates[0]["reset"] is True
        assert {"A", "B", "dock"} == set(page.entries("stations"))
        assert page.entries("map")["arena"] == [0.0, 0.0, 4.2, 2.2]
        assert ids_of(page.frames[-1]) == [1, 2, 3]

    on_stage(scenario)


def test_page_that_was_there_before_the_simulator_gets_its_faults() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await (await stage.browser().login(Role.TEACHER)).open()
        assert (page.hello["is_simulation"], "push" in page.hello["may"]) == (False, False)
        await stage.until(lambda: bool(page.hello["is_simulation"]), "the simulator", passing=True)
        assert "push" in page.hello["may"]

    on_stage(scenario)


def test_twenty_frames_a_second_are_sent_while_pages_answer() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await shown(stage)
        await stage.until(lambda: len(page.frames) >= 5, "frames", passing=True)
        numbers = [number(frame) for frame in page.frames]
        assert numbers == sorted(set(numbers))
        times_s = [HEADER.unpack_from(frame)[4] for frame in page.frames[-3:]]
        assert 0.04 < times_s[1] - times_s[0] < 0.11

    on_stage(scenario)


def test_page_that_does_not_answer_gets_six_frames_then_the_present() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await shown(stage)
        await stage.let_pass(0.3)
        page.answers = False
        before = len(page.frames)
        await stage.until(lambda: len(page.frames) >= before + 6, "six frames", passing=True)
        await stage.let_pass(3.0)
        assert len(page.frames) <= before + 7  # one may have been answered on its way
        unanswered = page.frames[-1]
        page.answers = True
        await page.send(type="ack", frame=number(unanswered))
        count = len(page.frames)
        await stage.until(lambda: len(page.frames) > count, "the present", passing=True)
        assert HEADER.unpack_from(page.frames[count])[4] > HEADER.unpack_from(unanswered)[4] + 2.0

    on_stage(scenario)


def test_page_that_never_answers_is_closed_after_ten_seconds() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await (await stage.browser().login(Role.OPERATOR)).open()
        page.answers = False
        await stage.until(lambda: len(page.frames) >= 6, "six frames", passing=True)
        await stage.let_pass(10.5)
        await stage.until(lambda: page.is_closed, "the end", passing=True)

    on_stage(scenario)


def test_hidden_page_is_sent_nothing_until_it_is_shown_again() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await shown(stage)
        await page.send(type="visible", visible=False)
        await stage.let_pass(0.3)
        frames, updates = len(page.frames), len(page.updates)
        await stage.let_pass(15.0)
        assert (len(page.frames), len(page.updates)) == (frames, updates)
        await page.send(type="visible", visible=True)
        await stage.until(lambda: len(page.frames) > frames, "the present", passing=True)
        assert page.updates[-1]["reset"] is False
        assert not page.is_closed

    on_stage(scenario)


def test_two_pages_receive_the_same() -> None:
    async def scenario(stage: ServerStage) -> None:
        one, other = await shown(stage), await shown(stage, Role.VIEWER)
        browser = await stage.browser().login(Role.OPERATOR)
        await browser.post("go_to", {"goals": [{"robot": 2, "x_m": 2.0, "y_m": 0.9}]})
        await stage.until(lambda: bool(one.entries("tasks")) and bool(other.entries("tasks")), "the task", passing=True)
        assert one.entries("tasks") == other.entries("tasks")
        assert next(iter(one.entries("tasks").values()))["command"] == "c1"

    on_stage(scenario)


def test_rays_of_the_selected_robot_are_sent() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await shown(stage)
        await page.send(type="select", robot=2)
        await stage.until(lambda: len(page.others) >= 3, "rays", passing=True)
        rays, values = page.others[:2]
        assert (rays["type"], rays["robot"], len(rays["rays"])) == ("rays", 2, 5)
        assert (values["type"], values["robot"], values["values"]["law"]) == ("values", 2, "lqr")
        assert page.others[2]["type"] == "rays"  # the status has not changed
        await page.send(type="select", robot=None)
        await stage.let_pass(0.3)
        count = len(page.others)
        await stage.let_pass(0.5)
        assert len(page.others) == count

    on_stage(scenario)


def test_robot_is_driven_by_hand_by_one_page() -> None:
    async def scenario(stage: ServerStage) -> None:
        one, other = await shown(stage), await shown(stage)
        await one.send(type="drive", robot=1, speed_mps=0.1, turn_radps=0.0)
        await stage.until(lambda: bool(stage.fleet.driven), "the twist")
        await other.send(type="drive", robot=1, speed_mps=0.1, turn_radps=0.0)
        await stage.until(lambda: bool(other.others), "the refusal")
        assert "drives robot 1" in other.others[0]["text"]
        await stage.until(lambda: "1" in one.entries("fleet")["driving"], "who drives", passing=True)

    on_stage(scenario)


def test_viewer_may_not_drive_but_may_stop() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await shown(stage, Role.VIEWER)
        await page.send(type="drive", robot=1, speed_mps=0.1, turn_radps=0.0)
        await stage.until(lambda: bool(page.others), "the refusal")
        assert page.others[0]["text"] == "A viewer may not drive: it takes the key of an operator."
        await page.send(type="stop")
        await stage.until(lambda: stage.fleet.is_stopped, "the stop")
        await stage.until(lambda: page.entries("fleet")["is_stopped"] is True, "the news", passing=True)

    on_stage(scenario)


def test_page_that_talks_nonsense_is_refused_and_then_closed() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await shown(stage)
        for text in ("nonsense", "[]", '{"type": "fly"}', '{"type": "ack", "frame": "x"}'):
            await page.socket.send_str(text)
        await stage.until(lambda: len(page.others) == 4, "refusals")
        assert not page.is_closed
        for _ in range(30):
            await page.socket.send_str("x")
        await stage.until(lambda: page.is_closed, "the end")

    on_stage(scenario)


def test_message_that_is_too_long_ends_the_connection() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await shown(stage)
        await page.socket.send_str("x" * 5000)
        await stage.until(lambda: page.is_closed, "the end")

    on_stage(scenario)


def test_count_of_pages_is_shown() -> None:
    async def scenario(stage: ServerStage) -> None:
        one, other = await shown(stage), await shown(stage)
        await stage.until(lambda: one.entries("fleet")["browsers"] == 2, "the count", passing=True)
        await other.socket.close()
        await stage.until(lambda: one.entries("fleet")["browsers"] == 1, "the count", passing=True)

    on_stage(scenario)
