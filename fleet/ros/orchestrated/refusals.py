"""Settings that an orchestrator rules out, as they depend on more than messages and simulated time."""

from fleet.settings.config import FleetConfig


def refusals(config: FleetConfig) -> list[str]:
    """Return which settings an orchestrated driver refuses, and why."""
    found: list[str] = []
    if len(config.link.targets) > 1:
        found.append(
            f"link.targets: {len(config.link.targets)} targets; the bytes of one target are carried as messages: "
            "name one"
        )
    if config.link.switch_port:
        found.append(f"link.switch_port: {config.link.switch_port} lets programs connect at any time: set it to 0")
    if config.link.bridge:
        found.append("link.bridge: true passes on what an orchestrator does not see: set it to false")
    if config.hosts.name:
        found.append(f"hosts.name: {config.hosts.name!r} is for several drivers, of which an orchestrator sees one")
    if (1e9 / config.rates.control_hz) % 1.0:
        found.append(f"rates.control_hz: {config.rates.control_hz:g} has no period in whole nanoseconds")
    return [f"{config.path}: {text}" for text in found]
