from fleet.dashboard.access.roles import Role
from harness.dashboard.server_stage import ServerStage, on_stage


def test_tasks_are_let_go_when_no_operator_has_the_page_open_for_long() -> None:
    async def scenario(stage: ServerStage) -> None:
        let_go: list[int] = []
        page = await (await stage.browser().login(Role.OPERATOR)).open()
        viewer = await stage.browser().open()
        stage.server.watch_attendance(30.0, lambda: let_go.append(stage.now_ns))
        await stage.let_pass(40.0)
        assert let_go == []
        await page.send(type="visible", visible=False)
        await stage.let_pass(29.0)
        assert let_go == []
        await stage.until(lambda: bool(let_go), "the end of attendance", passing=True)
        assert not viewer.is_closed

    on_stage(scenario)


def test_tasks_go_on_without_anybody_by_default() -> None:
    async def scenario(stage: ServerStage) -> None:
        let_go: list[int] = []
        stage.server.watch_attendance(None, lambda: let_go.append(1))
        await stage.let_pass(5.0)
        assert let_go == []

    on_stage(scenario)
