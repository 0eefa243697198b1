"""Stations: operators add and remove them, and tasks are shown with their names."""

from harness.dashboard.chromium import FleetPage
from harness.dashboard.hands import Mouse
from harness.dashboard.scripted_dashboard import STATIONS, ServedScript

A, B = ((station.pose.x_m, station.pose.y_m) for station in STATIONS[:2])


def test_station_is_added_where_one_aims_and_removed(page: FleetPage) -> None:
    for key in ("1", "g", "ArrowRight", "ArrowUp", "s"):
        page.page.keyboard.press(key)
    page.page.keyboard.type("new place")
    page.button("Add").click()
    page.until_true("fleet.store.get('stations', 'new place') !== null")
    added = page.evaluate("fleet.store.get('stations', 'new place')")
    assert [round(value, 2) for value in added["pose"]] == [0.65, 0.65, 0.0]
    page.button("Stations …").click()
    assert page.button("remove station A").count() == 0  # the configuration's own
    page.button("remove station new place").click()
    page.until_true("fleet.store.get('stations', 'new place') === null")


def test_task_is_shown_with_the_names_of_its_stations(page: FleetPage, script: ServedScript) -> None:
    hand = Mouse(page)
    hand.tap((1.6, 0.6))
    hand.drag(A, B)
    page.page.keyboard.press("Enter")
    page.find(".robot .task", has_text="transport A > B").wait_for()
    page.page.keyboard.press("m")
    page.find(".twin td", has_text="transport A > B").wait_for()
    page.find("#tab-alarms").click()
    page.find(".events .task", has_text="transport A > B started").wait_for()


def test_station_beside_a_robot_is_the_thing_that_is_nearer(page: FleetPage, script: ServedScript) -> None:
    x_m, y_m = page.evaluate("(() => { const {x, y} = fleet.view.shown().rows.get(1); return [x, y]; })()")
    page.evaluate("([x, y]) => fleet.send('station', {name: 'beside', x_m: x + 0.2, y_m: y, role: 'park'})", [x_m, y_m])
    page.until_true("fleet.store.get('stations', 'beside') !== null")
    found = page.evaluate(
        "([x, y]) => [0.05, 0.15].map((right) => fleet.view.thingAt(...fleet.view.camera.toScreen(x + right, y)))",
        [x_m, y_m],
    )
    assert found == [{"robot": 1}, {"station": "beside"}]
