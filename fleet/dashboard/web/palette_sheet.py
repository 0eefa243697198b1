"""The palette as a style sheet: custom properties for both themes."""

from dataclasses import asdict

from thymio_base.palette import DARK, LIGHT, SERIES, Theme, Tone


def palette_sheet() -> str:
    """Return the style sheet: light by default, dark by the system's preference or data-theme."""
    light, dark = _properties(LIGHT, is_dark=False), _properties(DARK, is_dark=True)
    by_system = _rule(':root:not([data-theme="light"])', dark)
    by_choice = _rule(':root[data-theme="dark"]', dark)
    return f"{_rule(':root', light)}\n@media (prefers-color-scheme: dark) {{\n{by_system}}}\n\n{by_choice}"


def _properties(theme: Theme, *, is_dark: bool) -> dict[str, str]:
    colours = {f"--{name.replace('_', '-')}": colour for name, colour in asdict(theme).items()}
    colours |= {f"--tone-{tone.name.lower()}": tone.dark if is_dark else tone.light for tone in Tone}
    colours |= {f"--series-{index}": colour for index, colour in enumerate(SERIES, 1)}
    return {"color-scheme": "dark" if is_dark else "light", **colours}


def _rule(selector: str, properties: dict[str, str]) -> str:
    lines = "".join(f"  {name}: {value};\n" for name, value in properties.items())
    return f"{selector} {{\n{lines}}}\n"
