"""Hypothesis strategies for programs of the Aseba language.

Every loop ends: only the loop itself writes its counter. Names of events are in alphabetical order, as the
original compiler numbers them by name. No subroutine ends with `return` in a branch: there the original compiler leaves
out the end, and the code that follows in memory is run.
"""

from hypothesis import strategies as st

EVENTS = {"e0": 0, "e1": 1, "e3": 3}
CONSTANTS = {"K": 7, "NEGATIVE": -2}
SCALARS = ("a", "b", "c")
VECTORS = {"v": 3, "w": 3, "u": 5}  # name: size
DEPTH = 3  # of nested statements

_BINARY = ("+", "-", "*", "/", "%", "<<", ">>", "|", "^", "&")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_literals = st.integers(-9, 9) | st.sampled_from((-32768, -2048, -2047, 2047, 2048, 32767, 0, 1, 2, 16))
_numbers = _literals.map(str) | st.sampled_from((*CONSTANTS, "0xffff", "0b11"))


def _indices(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return indices, nearly all of them within every array."""
    within = st.sampled_from(("0", "1", "2", "K - 6", "a & 1", "(b & 1) + 1", "n1 & 1", "b"))
    return within | st.builds("({}) & 1".format, inner) | st.builds("(({}) & 1) + 1".format, inner)


def _extend_scalar(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return (
        st.builds("({} {} {})".format, inner, st.sampled_from(_BINARY), inner)
        | st.builds("{} {} {}".format, inner, st.sampled_from(_BINARY), inner)
        | st.builds("{}{}".format, st.sampled_from(("-", "~", "abs ", "- ")), inner.map("({})".format))
        | st.builds("{}[{}]".format, st.sampled_from(sorted(VECTORS)), _indices(inner))
    )


_leaves = _numbers | st.sampled_from((*SCALARS, "event.args[0]", "v[1]", "u[K - 3]", "w[0:0]"))
scalars = st.recursive(_leaves, _extend_scalar, max_leaves=6)


def _slices(size: int) -> st.SearchStrategy[str]:
    """Return variables and slices of a given number of words."""
    return st.sampled_from(
        [f"{name}[{start}:{start + size - 1}]" for name, whole in VECTORS.items() for start in range(whole - size + 1)]
        + [name for name, whole in VECTORS.items() if whole == size]
    )


def vectors(size: int) -> st.SearchStrategy[str]:
    """Return expressions of a given number of words."""
    leaves = (
        _slices(size)
        | st.lists(scalars, min_size=size, max_size=size).map(lambda each: f"[{', '.join(each)}]")
        | st.builds("[{}, {}]".format, scalars, _slices(size - 1))
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds("({} {} {})".format, inner, st.sampled_from(_BINARY), inner)
            | st.builds("-{}".format, inner.map("({})".format))
        ),
        max_leaves=3,
    )


conditions = st.recursive(
    st.builds("{} {} {}".format, scalars, st.sampled_from(_COMPARISONS), scalars),
    lambda inner: (
        st.builds("({}) {} ({})".format, inner, st.sampled_from(("and", "or")), inner)
        | st.builds("not ({})".format, inner)
        | st.builds("{} {} not {}".format, inner, st.sampled_from(("and", "or")), inner)
    ),
    max_leaves=4,
)

_targets = st.sampled_from((*SCALARS, "v[2]", "w[K - 7]", "u[4:4]")) | st.builds(
    "{}[{}]".format, st.sampled_from(sorted(VECTORS)), _indices(scalars)
)
_assigning = st.sampled_from(["=", *(f"{sign}=" for sign in _BINARY)])


def _assignments_of(size: int) -> st.SearchStrategy[str]:
    return st.builds("{} {} {}".format, _slices(size), _assigning, vectors(size))


_simple = (
    st.builds("{} {} {}".format, _targets, _assigning, scalars)
    | st.builds("{}{}".format, _targets | _slices(3), st.sampled_from(("++", "--")))
    | _assignments_of(2)
    | _assignments_of(3)
    | st.just("emit e0")
    | st.builds("emit e1 {}".format, scalars)
    | st.builds("emit e3 {}".format, vectors(3))
    | st.builds("call math.add({}, {}, {})".format, _slices(3), vectors(3), vectors(3))
    | st.builds("call math.copy({}, {})".format, _targets, scalars)
    | st.builds("call math.fill({}, {})".format, _slices(2), scalars)
    | st.builds("call math.sort({})".format, vectors(3))
    | st.sampled_from(("callsub first", "callsub second"))
)


def _blocks(depth: int) -> st.SearchStrategy[str]:
    return st.lists(_statements(depth), max_size=3).map("\n".join)


def _statements(depth: int) -> st.SearchStrategy[str]:
    if depth == 0:
        return _simple
    inner, counter, bound = _blocks(depth - 1), f"n{depth}", st.integers(-2, 2)
    return (
        _simple
        | st.builds("if {} then\n{}\nend".format, conditions, inner)
        | st.builds("if {} then\n{}\nelse\n{}\nend".format, conditions, inner, inner)
        | st.builds(
            "if {} then\n{}\nelseif {} then\n{}\nelse\n{}\nend".format, conditions, inner, conditions, inner, inner
        )
        | st.builds("when {} do\n{}\nend".format, conditions, inner)
        | st.builds(f"{counter} = {{}} while {counter} > 0 do\n{{}}\n{counter} -= 1\nend".format, bound, inner)
        | st.builds(f"for {counter} in {{}}:3 do\n{{}}\nend".format, bound, inner)
        | st.builds(f"for {counter} in 2:{{}} step -2 do\n{{}}\nend".format, bound, inner)
    )


_parts = _blocks(DEPTH)
_leaf_subroutines = st.lists(
    (_simple | st.builds("if {} then return end".format, conditions)).filter(lambda text: "callsub" not in text),
    max_size=3,
).map("\n".join)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Return programs with variables, some of them uninitialised, handlers and subroutines."""
    declared = [f"var {name} = {draw(_numbers)}" for name in SCALARS]
    declared += [f"var {name}[{size}]" for name, size in VECTORS.items()]
    declared += [f"var n{depth}" for depth in range(1, DEPTH + 1)]
    declared += ["v = [1, 2, 3]", "u = [K, 4, NEGATIVE, 1, 0]"] if draw(st.booleans()) else []
    handlers = [
        f"onevent {name}\n{draw(_parts)}" for name in draw(st.lists(st.sampled_from(sorted(EVENTS)), unique=True))
    ]
    subroutines = [
        f"sub first\n{draw(_leaf_subroutines)}\nc++",
        f"sub second\n{draw(_leaf_subroutines)}\ncallsub first",
    ]
    return "\n".join([*declared, draw(_parts), *draw(st.permutations([*handlers, *subroutines]))])
