import pytest

from aseba_link.aesl.syntax.conditional import drop_unsupported
from aseba_link.errors import CompilerError
from harness.aseba.script_run import DESCRIPTION


@pytest.mark.parametrize("name", ["acc", "_poweroff", "motor", "prox.comm.rx", "acc motor _poweroff"])
def test_part_is_kept_for_a_node_that_meets_all_its_needs(name: str) -> None:
    code = f"a\n#@needs {name}\n b\n#@end\nc"
    assert drop_unsupported(code, DESCRIPTION) == code


@pytest.mark.parametrize("names", ["accu", "acc motr", "_poweroff() acc", "ACC"])
def test_part_is_dropped_for_a_node_without_its_requirements(names: str) -> None:
    assert drop_unsupported(f"a\n#@needs {names}\n b\n#@end\nc", DESCRIPTION) == "a\n\n\n#@end\nc"


def test_indented_marks_count_and_other_comments_do_not() -> None:
    code = "# #@needs x\n#@needsx\n\t#@needs  x\nb\n  #@end \n# @needs x"
    assert drop_unsupported(code, DESCRIPTION) == "# #@needs x\n#@needsx\n\n\n  #@end \n# @needs x"


def test_parts_can_be_nested() -> None:
    code = "#@needs acc\na\n#@needs x\nb\n#@needs acc\nc\n#@end\n#@end\nd\n#@end"
    assert drop_unsupported(code, DESCRIPTION).split() == ["#@needs", "acc", "a", "#@end", "d", "#@end"]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("\n #@needs", "line 2, column 2: #@needs names nothing"),
        ("a\n#@end", "line 2, column 1: #@end without #@needs"),
        ("#@needs a\n#@end\n#@end", "line 3, column 1: #@end without #@needs"),
        ("#@needs a\n #@needs b\n#@end", "line 1, column 1: #@needs has no #@end"),
    ],
)
def test_unmatched_marks_are_an_error(code: str, problem: str) -> None:
    with pytest.raises(CompilerError, match=f"^{problem}$"):
        drop_unsupported(code, DESCRIPTION)
