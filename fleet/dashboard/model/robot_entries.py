"""The entry of a robot on pages, from a client's report."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fleet.client.robot_report import RobotReport, number_of
from thymio_base.texts.decimal_text import whole_number


def robot_entry(report: RobotReport, can: Sequence[str], order: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the entry of a robot; `can` is what its server offers, `order` a master control's order."""
    values, tone = report.values, report.tone
    return {
        "id": report.robot_id,
        "tone": tone.name.lower(),
        "urgency": tone.urgency,
        "word": report.word,
        "is_free": report.is_free,
        "level": None if report.level is None else report.level.name,
        "message": report.message,
        "note": report.note,
        "task": report.task,
        "errand_to": _errand_goal(report),
        "task_id": values.get("assigned_task", "") if report.is_busy else "",
        "progress": report.progress,
        "eta_s": report.eta_s,
        "battery": values.get("battery", ""),
        "battery_pct": _percent(values),
        "link": values.get("link", ""),
        "localization": values.get("localization", ""),
        "law": values.get("law", ""),
        "traffic": _traffic(values),
        "home": _home(report),
        "node": report.node_id,
        "host": report.host,
        "driver": report.driver_node,
        "last": _last(values),
        "can": list(can),
        "order": order,
    }


def _errand_goal(report: RobotReport) -> list[float] | None:
    """Return where a robot drives without a task."""
    goals = report.poses("plan") if not report.is_busy and report.activity and report.activity.is_errand else []
    return list(goals[-1]) if goals else None


def _percent(values: Mapping[str, str]) -> float | None:
    percent = number_of(values, "battery_pct")
    return percent if percent is not None and percent >= 0.0 else None


def _traffic(values: Mapping[str, str]) -> dict[str, Any]:
    waiting_for = [
        whole_number(text) for text in values.get("waiting_for", "").split() if re.fullmatch("[0-9]{1,9}", text)
    ]
    return {
        "going": values.get("traffic", ""),
        "waiting_for": waiting_for,
        "blocked_by": values.get("blocked_by", ""),
        "waited_s": number_of(values, "waited_s") or 0.0,
    }


def _home(report: RobotReport) -> list[float] | None:
    homes = [pose for pose in report.poses("home") if len(pose) == 3]
    return list(homes[0]) if homes else None


def _last(values: Mapping[str, str]) -> dict[str, str] | None:
    if not values.get("last_task"):
        return None
    result, _, reason = values.get("last_result", "").partition(":")
    detail = values.get("last_result_detail", "")
    return {"id": values["last_task"], "result": result, "reason": reason, "detail": detail}
