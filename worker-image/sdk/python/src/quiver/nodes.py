"""Tasks that a program makes: each is a dict, the JSON object of a node of a Task."""

import os

from quiver.once import of as of_once

KINDS = ("handler", "command", "chain", "group", "forEach")
OF_CALLS = {"plan": "plan", "planSeconds": "plan", "undo": "plan", "contingency": "contingency", "complexKey": "complexKey"}
MOST_PLAN_SECONDS = 60
MOST_COMPLEX = 119  # characters of a complex task's name and key together


def call(handler, *args, name=None, pool=None, max_trials=None, backoff=None, total=None, env=None,
         active_deadline_seconds=None, rel_priority=None, tags=None, fairness_key=None, resources=None, plan=None,
         plan_seconds=None, undo=None, contingency=None, once=None, complex_key=None):
    """The function of this name with these arguments, each a JSON value.

    pool is a WorkerPool's name, that of the iterator if nothing is said. max_trials is how often it may run, 3 by default;
    backoff is the wait in seconds before another run, or a dict of initialSeconds, factor, maxSeconds and jitterPercent;
    active_deadline_seconds what each of these runs may take; total what it counts for in the progress, 1 by default.
    rel_priority is -99999 to 99999, higher ones go first; tags are names that a program or a pool may boost; tasks of
    one fairness_key share the turns of a pool that is fair. While one of its resources is missing, at most 8 names that the
    pool declares, it is not given out. plan=True asks the function's @quiver.plan before it; plan_seconds is what that may
    take, 1 to 60; undo=True lets it say what would undo the task, for the client's undo(). contingency=True asks the
    function's @quiver.contingency where a trial may have done it and did not pass. once is a name or a quiver.Once. undo and
    once are of a whole task: in no composite, and not of an iterator's child.

    complex_key makes it a request to the complex task of this name, about the state of that key: it has a plan, and neither
    resources nor a contingency. The key is printable ASCII without blanks, 119 characters together with the name.
    """
    _check_contingency(contingency)
    _check_plan("plan", plan, "plan_seconds", plan_seconds)
    _check_undo(plan or complex_key is not None, undo)
    check_complex_key(handler, complex_key, plan, contingency, resources)
    node = {"handler": _text("handler", handler), "args": list(args)}
    return _with(node, name, plan=plan, planSeconds=plan_seconds, undo=undo or None, contingency=contingency or None,
                 once=_once(once), pool=pool, complexKey=complex_key,
                 maxTrials=max_trials, backoff=_backoff(backoff), total=total, env=env,
                 activeDeadlineSeconds=active_deadline_seconds, **_rank(rel_priority, tags, fairness_key, resources))


def command(words, *, name=None, pool=None, max_trials=None, backoff=None, total=None, env=None, working_dir=None,
            active_deadline_seconds=None, rel_priority=None, tags=None, fairness_key=None, resources=None, once=None):
    """A program and its arguments, texts or paths. The rest is as of call()."""
    if isinstance(words, (str, bytes)):
        raise TypeError(f"a command is a list of words, not {words!r}")
    node = {"command": [_text("command", os.fspath(word)) for word in words]}
    return _with(node, name, pool=pool, maxTrials=max_trials, backoff=_backoff(backoff), total=total, env=env,
                 workingDir=None if working_dir is None else os.fspath(working_dir), once=_once(once),
                 activeDeadlineSeconds=active_deadline_seconds, **_rank(rel_priority, tags, fairness_key, resources))


def chain(*tasks, name=None, on_child_error=None, active_deadline_seconds=None, rel_priority=None, tags=None,
          fairness_key=None, resources=None, undo=None):
    """Tasks one after the other, each with the result of the one before it as its last argument. Tasks, or a list.

    on_child_error="Continue" goes on with null in the place of a failed one. active_deadline_seconds is for all of them.
    rel_priority, tags, fairness_key and resources are those of tasks that say none themselves. undo=True lets the plans in it
    say what would undo it, for the client's undo(); it is of a whole task.
    """
    node = {"chain": _children("chain", tasks)}
    return _with(node, name, undo=_undo(undo), onChildError=on_child_error, activeDeadlineSeconds=active_deadline_seconds,
                 **_rank(rel_priority, tags, fairness_key, resources))


def group(*tasks, name=None, window=None, on_child_error=None, active_deadline_seconds=None, rel_priority=None, tags=None,
          fairness_key=None, resources=None, undo=None):
    """Tasks side by side, at most `window` at a time; its result is the list of theirs. Tasks, or a list; as chain()."""
    node = {"group": _children("group", tasks)}
    return _with(node, name, undo=_undo(undo), window=window, onChildError=on_child_error,
                 activeDeadlineSeconds=active_deadline_seconds, **_rank(rel_priority, tags, fairness_key, resources))


def for_each(task, *, name=None, window=None, on_child_error=None, active_deadline_seconds=None, rel_priority=None,
             tags=None, fairness_key=None, resources=None):
    """In a chain: this task for each element of the list before it, which is its last argument; at most `window` at a time.

    The result is the list of theirs. A task that is a composite gives the element to its first tasks. As chain().
    """
    node = {"forEach": check(task)}
    return _with(node, name, window=window, onChildError=on_child_error, activeDeadlineSeconds=active_deadline_seconds,
                 **_rank(rel_priority, tags, fairness_key, resources))


def check(node):
    """Raises TypeError for what is no task, and ValueError for a time of a plan, or an undo, that cannot be."""
    if not isinstance(node, dict) or sum(kind in node for kind in KINDS) != 1:
        shown = f"a dict of {', '.join(map(repr, node)) or 'nothing'}" if isinstance(node, dict) else type(node).__name__
        raise TypeError(f"{shown} is no task: quiver.call, command, chain, group and for_each make one")
    of_composite = "chain" in node or "group" in node
    if of_composite:
        _check_undo(True, node.get("undo"))
    field = next((field for field in OF_CALLS if field in node and not (of_composite and field == "undo")), None)
    if field:
        if "handler" not in node:
            kind = next(kind for kind in KINDS if kind in node)
            raise TypeError(f"{field} is a field of a call alone: a {kind} has no {OF_CALLS[field]}")
        _check_contingency(node.get("contingency"))
        _check_plan("plan", node.get("plan"), "planSeconds", node.get("planSeconds"))
        _check_undo(node.get("plan") or "complexKey" in node, node.get("undo"))
        check_complex_key(node["handler"], node.get("complexKey"), node.get("plan"), node.get("contingency"), node.get("resources"))
    return node


def _check_undo(plan, undo):
    if undo is not None and (not isinstance(undo, bool) or undo and not plan):
        raise ValueError(f"undo is {undo!r}: it is True or False, and True with a plan alone, which says what would undo the task")


def _undo(of_composite):
    _check_undo(True, of_composite)
    return of_composite or None


def check_complex_key(handler, key, plan, contingency, resources):
    """Raises ValueError for a request that no complex task can have; a call without a key is none."""
    if key is None:
        return
    for what, text in (("complex_key", key), ("handler", handler)):
        if not isinstance(text, str) or not text or not all("!" <= letter <= "~" for letter in text):
            raise ValueError(f"{what} is {text!r:.200}: with complex_key it is printable ASCII without blanks")
    size = len(handler) + len(key)
    if size > MOST_COMPLEX:
        raise ValueError(f"handler and complex_key have {size} characters together, at most {MOST_COMPLEX} are allowed")
    if plan is False:
        raise ValueError("plan is False: with complex_key there is a plan")
    for what, said in (("contingency", contingency), ("resources", resources)):
        if said:
            raise ValueError(f"{what} is {said!r:.80}: with complex_key it is of the markers")


def _check_contingency(contingency):
    if contingency is not None and not isinstance(contingency, bool):
        raise TypeError(f"contingency is True or False, not {contingency!r}")


def _once(given):
    return None if given is None else of_once(given).json()


def _check_plan(field, plan, seconds_field, seconds):
    if plan is not None and not isinstance(plan, bool):
        raise TypeError(f"{field} is True or False, not {plan!r}")
    if seconds is None:
        return
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        raise TypeError(f"{seconds_field} is a whole number of seconds, not {seconds!r}")
    if not 1 <= seconds <= MOST_PLAN_SECONDS:
        raise ValueError(f"{seconds_field} is 1 to {MOST_PLAN_SECONDS}, not {seconds}")


def _children(field, tasks):
    children = []
    for task in tasks:
        if isinstance(task, dict) or isinstance(task, (str, bytes)) or not hasattr(task, "__iter__"):
            children.append(check(task))
        else:
            children.extend(map(check, task))
    return children


def _rank(rel_priority, tags, fairness_key, resources):
    for field, names in (("tags", tags), ("resources", resources)):
        if isinstance(names, (str, bytes)):
            raise TypeError(f"{field} are a list of texts, not {names!r}")
    return {"relPriority": rel_priority, "tags": None if tags is None else list(tags), "fairnessKey": fairness_key,
            "resources": None if resources is None else list(resources)}


def _backoff(wait):
    return wait if wait is None or isinstance(wait, dict) else {"initialSeconds": wait}


def _with(node, name, **fields):
    if name is not None:
        node["name"] = _text("name", name)
    node.update((field, value) for field, value in fields.items() if value is not None)
    return node


def _text(field, value):
    if not isinstance(value, str):
        raise TypeError(f"{field} is a text, not {value!r}")
    return value
