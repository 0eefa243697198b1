"""The interpreter of templates with which set-up generates interface packages writes what empy's own writes."""

import runpy
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import em
import pytest

ROOT = Path(__file__).parents[2]
FAST = runpy.run_path(str(ROOT / "tools/wheels/fast_templates.py"))
TEMPLATES = {
    "text": "plain\n",
    "without an end of line": "@(name)",
    "expression that spans lines": "@( (\n  name + '!'\n))\n",
    "chosen expression": "@(count > 2 ? name ! 'few')\n",
    "quoted brackets": "@(')' + \"(\")@{other = ']'}@other\n",
    "statements": "@{\nvalues = [i * i for i in range(count)]\ntext = ', '.join(map(str, values))\n}@\n[@text]\n",
    "control": "@[for i, c in enumerate(name)]@[if i % 2]@(i)@[elif c == 'b']B@[else]@c@[end if],@[end for]\n",
    "comment and prefix": "@# nothing\n@@ @\nend\n",
    "nested": "@[for i in range(3)]@[for j in range(i)]@(i)@(j)@[if j]@[continue]@[end if] @[end for]@[end for]@\n",
}


def expanded(interpreter: type[Any], template: str, **values: object) -> str:
    """Return what an interpreter of templates writes."""
    output = StringIO()
    with redirect_stdout(em.ProxyFile(output)):
        made = interpreter(output=output, options={em.BUFFERED_OPT: True, em.RAW_OPT: True, em.OVERRIDE_OPT: False})
        made.string(template, "name", locals=dict(values))
    return output.getvalue()


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_templates_expand_as_with_empy_each_time(template: str) -> None:
    for count, name in ((1, "abc"), (4, "xbz")):
        expected = expanded(em.Interpreter, template, count=count, name=name)
        assert expanded(FAST["RememberingInterpreter"], template, count=count, name=name) == expected


def test_a_template_that_does_not_end_is_refused() -> None:
    with pytest.raises(em.TransientParseError):
        expanded(FAST["RememberingInterpreter"], "@[if x]\n", x=1)
