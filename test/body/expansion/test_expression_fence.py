"""Expressions of real files are evaluated; those that lead beyond xacro are not."""

import pytest

from body.expansion.expression_fence import ExpressionError, check_expression


@pytest.mark.parametrize(
    "text",
    [
        "2 * pi / 3", "radians(90)", "m/12 * (w*w + h*h)", "prefix + '_link'", "x if left else -x",
        "[a*2 for a in sizes]",
        "config['joints']['elbow']['lower']", "limits.elbow.upper", "xacro.load_yaml(file)", "python.sorted(names)",
        "' '.join(map(str, xyz))", "len(xyz) == 3 and not 'f_x' in names", "_mass + f_x",
        "(lambda r: r**3)(radius)", "1 +",
    ],
)  # fmt: skip
def test_expression_of_real_files_is_allowed(text: str) -> None:
    check_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "().__class__", "(lambda: ().__class__.__base__)()", "[x.__class__ for x in [1]]", "(x for x in [1]).gi_frame",
        "f.f_back.f_globals", "'{0.__class__}'.format(1)", "str.format('{0.real}', 1)", "__import__('os')",
        "(lambda: __builtins__)()", "()._\uff3fclass_\uff3f", "f'{().__class__}'", "python.list.mro()",
        "xacro.load_yaml.func_globals", "''.join(c for c in (lambda: 0).__code__.co_names)", "1" * 30_000,
    ],
)  # fmt: skip
def test_expression_that_leads_beyond_xacro_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        check_expression(text)
