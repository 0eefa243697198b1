"""What axe-core, by Deque, finds in the page: nothing serious, in both themes."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from harness.dashboard.chromium import FleetPage
from harness.dashboard.scripted_dashboard import ServedScript

OpenPage = Callable[..., FleetPage]
VIEWS = {
    "robots": "fleet.pick(1); fleet.aimByKeys()",
    "tasks": "fleet.set({ tab: 'tasks' })",
    "alarms and table": "fleet.set({ tab: 'alarms', showsTable: true })",
    "session": "fleet.open('session')",
    "keys": "fleet.open('help')",
    "transport": "fleet.open('places', 'transport')",
    "follow": "fleet.pick(2); fleet.open('follow')",
    "driving by hand": "fleet.pick(2); fleet.set({ drives: 2 })",
}


def serious(page: FleetPage) -> list[str]:
    """Return the serious and critical violations, with the elements."""
    violations: list[dict[str, Any]] = Axe().run(page.page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:120]} {node['failureSummary'][:300]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: OpenPage, script: ServedScript, theme: str) -> None:
    page = open_page(color_scheme=theme, reduced_motion="reduce").ready()
    with script.fleet_lock:
        script.fleet.robots[3].link = "lost"
        script.fleet.robots[4].battery_pct = 20
        script.fleet.robots[5].battery_pct = 5
    page.evaluate("fleet.send('go_to', { goals: [{ robot: 1, x_m: 3.9, y_m: 1.6 }, { robot: 2, x_m: 9, y_m: 9 }] })")
    page.until_true("fleet.store.all('alarms').length >= 3 && fleet.store.get('robots', 1).task !== ''")
    found = []
    for name, action in VIEWS.items():
        page.evaluate(f"() => {{ document.getElementById('dialog').close(); {action}; }}")
        found += [f"{name}: {problem}" for problem in serious(page)]
    assert not found, "\n".join(found)


def test_axe_finds_nothing_serious_on_a_stopped_phone(open_page: OpenPage, script: ServedScript) -> None:
    page = open_page(viewport={"width": 320, "height": 480}, reduced_motion="reduce").ready()
    page.page.keyboard.press("Shift+Space")
    page.until_true("fleet.store.get('fleet', 'is_stopped') === true")
    assert serious(page) == []


def test_everything_is_reached_by_tab_without_a_trap(page: FleetPage) -> None:
    page.page.keyboard.press("1")
    reached = set()
    for _ in range(60):
        page.page.keyboard.press("Tab")
        reached.add(page.evaluate("(document.activeElement.id || document.activeElement.textContent).slice(0, 20)"))
    assert {
        "map",
        "tab-robots",
        "tab-tasks",
        "tab-alarms",
        "filter",
        "STOP ALL",
        "Go to …",
        "Zoom to fit",
        "Table",
    } <= reached
