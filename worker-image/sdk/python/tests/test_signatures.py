"""Which call a function gets: with a TaskSet's input, and with a Task's arguments."""

import functools
import inspect

import pytest

from quiver.errors import InputInvalid
from quiver.handlers import Handler

TASK = "the task"


class Methods:
    def one(self, value):
        return value

    def two(self, value, task):
        return value, task

    def many(self, photo, width=100, *, task):
        return photo, width, task

    def __call__(self, a, b, task=None):
        return a, b, task


def plain(a, b, task):
    return a, b, task


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def nothing():
    return "called"


FUNCTIONS = {
    "()": nothing,
    "(a)": lambda a: (a,),
    "(task)": lambda task: (task,),
    "(a=1)": lambda a=1: (a,),
    "(a, b)": lambda a, b: (a, b),
    "(a, b=2)": lambda a, b=2: (a, b),
    "(a, task)": lambda a, task: (a, task),
    "(a, tasks)": lambda a, tasks: (a, tasks),
    "(a, task=None)": lambda a, task=None: (a, task),
    "(a, task='translate')": lambda a, task="translate": (a, task),
    "(a, task, b=2)": lambda a, task, b=2: (a, task, b),
    "(a, b, c)": lambda a, b, c: (a, b, c),
    "(a, b=2, c=3)": lambda a, b=2, c=3: (a, b, c),
    "(a, b, task)": plain,
    "(a, b=2, task=None)": lambda a, b=2, task=None: (a, b, task),
    "(a, b=2, task='translate')": lambda a, b=2, task="translate": (a, b, task),
    "(a, *, task)": lambda a, *, task: (a, task),
    "(a, *, task=None)": lambda a, *, task=None: (a, task),
    "(a, b=2, *, task)": lambda a, b=2, *, task: (a, b, task),
    "(a, b, *, task)": lambda a, b, *, task: (a, b, task),
    "(*args)": lambda *args: args,
    "(*args, task)": lambda *args, task: (args, task),
    "(a, *args)": lambda a, *args: (a, args),
    "(a, b, *args)": lambda a, b, *args: (a, b, args),
    "(a, **more)": lambda a, **more: (a, more),
    "(a, task, /)": lambda a, task, /: (a, task),
    "(a, b, task, /)": lambda a, b, task, /: (a, b, task),
    "(a, b=2, task=None, /)": lambda a, b=2, task=None, /: (a, b, task),
    "method one": Methods().one,
    "method two": Methods().two,
    "method many": Methods().many,
    "object": Methods(),
    "partial by position": functools.partial(plain, 1),
    "partial by name": functools.partial(plain, b=2),
    "partial of a method": functools.partial(Methods().many, width=5),
    "decorated": decorated(plain),
    "builtin": len,
    "class": dict,
}


def before(function, value):
    """What a call with one value was before tasks had arguments."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:
        return function(value)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    second = len(positional) >= 2 and (
        positional[1].name in ("task", "tasks") or positional[1].default is inspect.Parameter.empty
    )
    return function(value, TASK) if second else function(value)


def outcome(call, *given):
    try:
        return call(*given)
    except Exception as error:
        return type(error)


def called(shape, *args):
    return Handler(shape, FUNCTIONS[shape], False, "table", False).call_with([*args], TASK)


@pytest.mark.parametrize("shape", FUNCTIONS)
@pytest.mark.parametrize("value", [7, [1, 2], {"a": 1}], ids=["number", "list", "dict"])
def test_an_input_is_given_as_it_always_was(shape, value):
    then = outcome(before, FUNCTIONS[shape], value)
    now = outcome(Handler(shape, FUNCTIONS[shape], False, "table", False).call, value, TASK)
    valid_since = {"(a, *, task)", "(a, b=2, *, task)", "(*args, task)", "method many", "partial of a method",
                   "partial by name"}
    if shape in valid_since:
        assert then is TypeError and TASK in now
    else:
        assert now == then


@pytest.mark.parametrize("shape", FUNCTIONS)
def test_a_call_with_one_argument_is_that_of_an_input(shape):
    value = {"a": 1}
    then = outcome(Handler(shape, FUNCTIONS[shape], False, "table", False).call, value, TASK)
    now = outcome(called, shape, value)
    given_since = {"(a, b=2, task=None)": ({"a": 1}, 2, TASK), "(a, *, task=None)": ({"a": 1}, TASK)}
    assert now == (InputInvalid if then is TypeError else given_since.get(shape, then))


@pytest.mark.parametrize(
    "shape, args, result",
    [
        ("()", [], "called"),
        ("(task)", [], (TASK,)),
        ("(a=1)", [], (1,)),
        ("(*args)", [], ()),
        ("(*args, task)", [], ((), TASK)),
        ("(a, b)", [1, 2], (1, 2)),
        ("(a, b=2)", [1, 3], (1, 3)),
        ("(a, task='translate')", ["x", "sum"], ("x", "sum")),
        ("(a, b, c)", [1, 2, 3], (1, 2, 3)),
        ("(a, b, task)", [1, 2], (1, 2, TASK)),
        ("(a, b=2, task=None)", [1, 3], (1, 3, TASK)),
        ("(a, b=2, task='translate')", [1, 3], (1, 3, "translate")),
        ("(a, b=2, *, task)", [1, 3], (1, 3, TASK)),
        ("(a, b, *, task)", [1, 2], (1, 2, TASK)),
        ("(*args)", [1, 2, 3], (1, 2, 3)),
        ("(*args, task)", [1, 2, 3], ((1, 2, 3), TASK)),
        ("(a, *args)", [1, 2, 3], (1, (2, 3))),
        ("(a, b, *args)", [1, 2, 3], (1, 2, (3,))),
        ("(a, b, task, /)", [1, 2], (1, 2, TASK)),
        ("(a, b=2, task=None, /)", [1], (1, 2, None)),
        ("method many", [1, 2], (1, 2, TASK)),
        ("object", [1, 2], (1, 2, TASK)),
        ("partial by position", [2], (1, 2, TASK)),
        ("partial by name", [1], (1, 2, TASK)),
        ("partial of a method", [1], (1, 5, TASK)),
        ("decorated", [1, 2], (1, 2, TASK)),
        ("builtin", ["abc"], 3),
        ("class", [[["a", 1]]], {"a": 1}),
    ],
)
def test_arguments_are_positional_and_the_task_has_its_name(shape, args, result):
    assert called(shape, *args) == result


@pytest.mark.parametrize(
    "shape, args, words",
    [
        ("()", [1], "1 argument for handler '()', which takes (): too many positional arguments"),
        ("(a)", [], "0 arguments for handler '(a)', which takes (a): missing a required argument: 'a'"),
        ("(a)", [1, 2], "2 arguments for handler '(a)', which takes (a): too many positional arguments"),
        ("(a, task)", [], "missing a required argument: 'a'"),
        ("(a, task)", [1, 2], "multiple values for argument 'task'"),
        ("(a, task=None)", [1, 2], "multiple values for argument 'task'"),
        ("(a, b, task)", [1], "which takes (a, b, task): missing a required argument"),
        ("(a, b, task)", [1, 2, 3], "which takes (a, b, task): "),
        ("(a, b, c)", [1], "which takes (a, b, c): missing a required argument: 'c'"),
        ("(a, b=2, *, task)", [], "which takes (a, b=2, *, task): missing a required argument: 'a'"),
        ("(a, task, /)", [1, 2, 3], "which takes (a, task, /): too many positional arguments"),
        ("method many", [], "which takes (photo, width=100, *, task): missing a required argument: 'photo'"),
        ("decorated", [1, 2, 3, 4], "which takes (a, b, task): "),
        ("builtin", [[], []], "which takes (obj, /): too many positional arguments"),
    ],
)
def test_a_call_that_does_not_fit_fails_with_both_sides(shape, args, words):
    with pytest.raises(InputInvalid) as refused:
        called(shape, *args)
    assert words in str(refused.value)


def test_an_error_of_the_function_itself_stays_what_it_is():
    def adds(a, b):
        return a + b

    def recurses(a):
        return recurses(a, 1)

    def annotated(photo: "a long text that helps nobody", width: int = 3) -> None:
        """Takes two."""

    with pytest.raises(TypeError, match="unsupported operand"):
        Handler("adds", adds, False, "table", False).call_with([1, "a"], TASK)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        Handler("recurses", recurses, False, "table", False).call_with([1], TASK)
    with pytest.raises(TypeError):
        Handler("decorated", decorated(adds), False, "table", False).call_with([1, "a"], TASK)
    with pytest.raises(InputInvalid, match=r"which takes \(photo, width=3\): "):
        Handler("annotated", annotated, False, "table", False).call_with([], TASK)
