"""How a function is called: which of its parameters gets the task, decided once, and what is said of a call that does
not fit."""

import functools
import inspect

from quiver.errors import InputInvalid

_NAMES = ("task", "tasks")
_EMPTY = inspect.Parameter.empty


class Signature:
    """What a function of the user takes.

    The task goes to a parameter named task (or tasks): the second one, the last one, or one by keyword alone. A call with
    one value gives it to a second parameter without a default, too, whatever its name.
    """

    def __init__(self, function):
        self._function = function
        try:
            self._known = inspect.signature(function)
        except ValueError:  # a builtin that does not tell
            self._known = None
        parameters = [] if self._known is None else list(self._known.parameters.values())
        self._positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self._second = self._takes_two()
        self._named = self._task_by_name(parameters)

    def _takes_two(self):
        """Whether the second parameter of a call with one value is the task: it has that name, or no default."""
        if len(self._positional) < 2:
            return False
        return self._positional[1].name in _NAMES or self._positional[1].default is _EMPTY

    def _task_by_name(self, parameters):
        """With another default than None it is a value of the user's that has this name by chance."""
        places = [*self._positional[1:2], *self._positional[-1:], *(p for p in parameters if p.kind is p.KEYWORD_ONLY)]
        return next((p for p in places if p.name in _NAMES and p.default in (_EMPTY, None)), None)

    def of_value(self):
        """Calls the function with an input, or a list of inputs, and the task or tasks if it wants them; and whether."""
        function = self._function
        if self._second:
            return function, True
        # With a default it was left out before tasks had arguments, and stays so.
        if self._named is not None and self._named.default is _EMPTY and self._named not in self._positional[:1]:
            give = self._by_name(function)
            return lambda value, task: give((value,), task), True
        return lambda value, task: function(value), False

    def of_arguments(self, name):
        """Calls the function with a list of arguments, and the task if it wants that. Raises InputInvalid, in words, when
        they do not fit."""
        call = self._of_arguments(self._function)

        def checked(args, task):
            try:
                return call(args, task)
            except TypeError as error:
                misfit = self._misfit(error, args)
                if misfit is None:
                    raise
                raise InputInvalid(f"{counted(args)} for handler {name!r}, which takes {misfit}") from None

        return checked

    def _of_arguments(self, function):
        any_number = self._by_name(function) if self._named is not None else lambda args, task: function(*args)
        if self._second:
            return lambda args, task: function(args[0], task) if len(args) == 1 else any_number(args, task)
        if self._named is not None and self._named in self._positional[:1]:  # the only one: without arguments, the task
            return lambda args, task: any_number(args, task) if not args else function(*args)
        return any_number

    def _by_name(self, function):
        """A position is quicker than a keyword."""
        name, named = self._named.name, self._named
        at = self._positional.index(named) if named in self._positional else -1
        if named.kind is named.POSITIONAL_ONLY:
            return lambda args, task: function(*args, task) if len(args) == at else function(*args)
        return lambda args, task: function(*args, task) if len(args) == at else function(*args, **{name: task})

    def _misfit(self, error, args):
        """The signature and what is wrong; None when the function was called, and the error is its own."""
        if self._known is None or entered(self._function, error):
            return None
        try:
            self._of_arguments(self._known.bind)(args, None)
            return None
        except TypeError as reason:
            return f"{shown(self._known)}: {reason}"

    def misfit_of(self, error, *given):
        """The same of a call with these positional arguments."""
        if self._known is None or entered(self._function, error):
            return None
        try:
            self._known.bind(*given)
            return None
        except TypeError as reason:
            return f"{shown(self._known)}: {reason}"


def counted(args):
    return f"{len(args)} argument{'' if len(args) == 1 else 's'}"


def shown(signature):
    """Without annotations, which may be long."""
    parameters = [p.replace(annotation=_EMPTY) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=_EMPTY))


def entered(function, error):
    """Whether the error came while the function itself ran."""
    code = _code(function)
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code is not code:
        at = at.tb_next
    return at is not None


def _code(function):
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", None)
    return getattr(function, "__code__", None)
