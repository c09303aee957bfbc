"""The records of a tree: its nodes, numbered breadth first, as the scripts keep them. No I/O."""

import itertools
import json
import re

from quiver import nodes
from quiver.clients import ranks
from quiver.clients.description import LIMITS, RECORDS
from quiver.once import of as of_once

_POOL = re.compile(r"[a-z0-9.-]{1,253}")
_REFERENCE = re.compile(r"\$\(results\.([^)]+)\)")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_PLAN, _CONTINGENCY = "#plan", "#contingency"  # end the names of a function's plan and contingency
_COUNTED = {"failed": "0", "lost": "0", "progress": "0", "max_trials": "1"}
_TRIALS = 3
_MOST_NODES = LIMITS["tree"]
_WEEK = 604_800


class _Form:
    """A record of which some fields are open, and others are known; the rest is empty. Tasks are many."""

    def __init__(self, record, opened, **known):
        at = RECORDS[record].index
        given = dict(known, **dict.fromkeys(opened, "%s"))
        self._text = "\t".join([given.get(name, "") for name in RECORDS[record]]) + "\t"
        self._order = sorted(range(len(opened)), key=lambda i: at(opened[i]))

    def write(self, *values):
        """With values for the open fields, in the order in which they were named."""
        return self._text % tuple([values[i] for i in self._order])


_LEAF = _Form("leaf", ("parent", "pool", "handler", "max_trials", "total"), kind="L", state="w", failed="0", lost="0",
              progress="0")
_TEMPLATE_LEAF = _Form("leaf", ("parent", "pool", "handler", "max_trials", "total"), kind="L", state="t", failed="0",
                       lost="0", progress="0")
_FACTS = _Form("tree", ("keep", "next", "deadline"), watched="0")


class Node:
    """A node of a tree with all that is below it, made of a dict as quiver.call and its like make it."""

    __slots__ = ("kind", "pool", "handler", "max_trials", "total", "window", "on_error", "deadline", "children", "name",
                 "document", "arguments", "template", "rank", "letters", "undo", "has_plan")

    def __init__(self, said, pool, depth=1):
        nodes.check(said)
        if "once" in said:
            raise ValueError(f"once is {said['once']!r}: it is of a whole task, not of one within a composite")
        if depth > LIMITS["depth"]:
            raise ValueError(f"tasks are nested deeper than {LIMITS['depth']} levels")
        self.handler = ""
        self.arguments = []
        self.children = ()
        self.template = None  # of a for_each
        self.undo = bool(said.get("undo"))
        self.has_plan = False  # or a task below it
        self.letters = ""  # of the record: c has a contingency, m is of a complex task
        self.name = said.get("name")
        if "complexKey" in said:
            if not isinstance(said["complexKey"], str):
                raise TypeError(f"complexKey is {said['complexKey']!r:.80}, a text is needed")
            said = {**said, "resources": [f"complex!{said['handler']}!{said['complexKey']}"]}
        rank = ranks.Rank(said)
        self.rank = None if rank.says_nothing() else rank
        self.deadline = _whole(said, "activeDeadlineSeconds", None, 1)
        if "chain" in said or "group" in said or "forEach" in said:
            self._compose(said, pool, depth)
        else:
            self._execute(said, pool)

    def _compose(self, said, pool, depth):
        self.kind, field = ("C", "chain") if "chain" in said else ("G", "group") if "group" in said else ("E", "forEach")
        if self.kind == "E":
            self.template = Node(said[field], pool, depth + 1)
        else:
            self.children = [child if isinstance(child, Node) else Node(child, pool, depth + 1) for child in said[field]]
        below = [self.template] if self.kind == "E" else self.children
        if any([child.undo for child in below]):
            raise ValueError("undo is True: it is of a whole task, not of one within a composite")
        self.has_plan = any([child.has_plan for child in below])
        self.pool = ""
        self.max_trials = 1
        self.total = sum(child.total for child in self.children)
        self.window = 1 if self.kind == "C" else _whole(said, "window", 0, 0, LIMITS["children"])
        reaction = said.get("onChildError", "Fail")
        if reaction not in ("Fail", "Continue"):
            raise ValueError(f"on_child_error is Fail or Continue, not {reaction!r}")
        self.on_error = "C" if reaction == "Continue" else ""
        self.name = self.name or ""
        self.document = {"name": self.name} if self.name else {}
        if self.undo and not self.has_plan:
            raise ValueError("undo is True, and no task of the composite has a plan, which says what would undo it")

    def leave_undo(self):
        """Asks its plans, and those below it, for what would undo the tree in which it stands."""
        for child in self.children:
            child.leave_undo()
        if self.template is not None:
            self.template.leave_undo()
        elif self.kind == "L" and self.has_plan:
            if isinstance(self.document, bytes):
                self.document = self.document[:-1] + b',"undoOfTree":true}'
            else:
                self.document["undoOfTree"] = True

    def _execute(self, said, pool):
        self.kind = "L"
        self.pool = said.get("pool") or pool
        if not _POOL.fullmatch(self.pool):
            raise ValueError(f"pool {self.pool!r} is no name of a WorkerPool")
        self.max_trials = _whole(said, "maxTrials", _TRIALS, 1, LIMITS["maxTrials"])
        self.total = _whole(said, "total", 1, 1)
        self.arguments = said["args"] if "args" in said else []
        if "handler" in said:
            self.handler = said["handler"]
            size = len(self.handler.encode())
            if not 1 <= size <= LIMITS["handler"]:
                raise ValueError(f"handler {self.handler[:40]!r} has {size} bytes, 1 to {LIMITS['handler']} are allowed")
            if _CONTROL.search(self.handler):
                raise ValueError(f"handler {self.handler!r} has a control character")
            for ending in (_PLAN, _CONTINGENCY):
                if self.handler.endswith(ending):
                    raise ValueError(f"handler {self.handler[:40]!r} ends in {ending}, which only workers say: name the function,"
                                     f" with {ending[1:]}=True")
        elif not said["command"]:
            raise ValueError("command must have at least one word")
        self.name = self.name or self.handler or "command"
        document = {"name": self.name}
        if self.handler:
            document["handler"] = self.handler
        else:
            document["command"] = said["command"]
        for field in ("workingDir", "args", "env"):
            if said.get(field):
                document[field] = said[field]
        if self.deadline is not None:
            document["timeLimitMillis"] = self.deadline * 1000
        if "backoff" in said:
            document["backoff"] = _backoff(said["backoff"])
        seconds = self._plan(said)
        if seconds:
            document["planMillis"] = seconds * 1000
            self.has_plan = True
            if self.undo:
                document["undo"] = True
            self.handler += _PLAN  # who makes it is asked first
        if self._contingency(said):
            document["contingency"] = True
            self.letters = "c"
        if "complexKey" in said:
            document["complexKey"] = said["complexKey"]
            self.letters = "m"
        if any(isinstance(argument, str) and _REFERENCE.fullmatch(argument) for argument in self.arguments):
            self.document = document  # the ordinals that it needs are known when the tree is
            _ENCODER.encode(document)
        else:
            self.document = _ENCODER.encode(document).encode()

    def _plan(self, said):
        """Seconds for a trial of its plan; None without one."""
        plan = said.get("plan", "complexKey" in said)
        if not isinstance(plan, bool):
            raise ValueError(f"plan is True or False, not {plan!r}")
        if not plan:
            for field in ("planSeconds", "undo"):
                if said.get(field):
                    raise ValueError(f"{field} is {said[field]!r}, and there is no plan")
            return None
        size = len(self.handler.encode()) + len(_PLAN)
        if size > LIMITS["handler"]:
            raise ValueError(f"handler {self.handler[:40]!r} has a plan, so it has {LIMITS['handler'] - len(_PLAN)} bytes at most")
        return _whole(said, "planSeconds", LIMITS["plan"], 1, LIMITS["planSeconds"])

    def _contingency(self, said):
        asked = said.get("contingency", False)
        if not isinstance(asked, bool):
            raise ValueError(f"contingency is True or False, not {asked!r}")
        most = LIMITS["handler"] - len(_CONTINGENCY)
        if asked and len(said.get("handler", "").encode()) > most:
            raise ValueError(f"handler {self.handler[:40]!r} has a contingency, so it has {most} bytes at most")
        return asked

    def write(self, ordinals):
        """The document as bytes."""
        if isinstance(self.document, bytes):
            return self.document
        found = {}
        for argument in self.arguments:
            named = isinstance(argument, str) and _REFERENCE.fullmatch(argument)
            if named:
                if named.group(1) not in ordinals:
                    raise ValueError(f"args of {self.name!r} have {argument}, and no node is called so")
                found[named.group(1)] = ordinals[named.group(1)]
        return _ENCODER.encode({**self.document, "results": found} if found else self.document).encode()

    def record(self, parent, first, is_template=False, block=None, rank=None):
        """Of a for_each `block` has the first ordinal of its template and how many nodes that has."""
        if self.kind == "L":
            text = (_TEMPLATE_LEAF if is_template else _LEAF).write(parent, self.pool, self.handler, self.max_trials, self.total)
            rank = rank or ("", "")
            if rank == ("", "") and not self.letters:
                return text
            return text + "\t".join((*rank, self.letters) if self.letters else rank) + "\t"
        values = dict(_COUNTED, kind=self.kind, state="t" if is_template else "w", parent=parent, total=str(self.total))
        values.update(first=str(first), count=str(len(self.children)), stride="1", created="0", finished="0",
                      window=str(self.window), on_error=self.on_error,
                      deadline="" if self.deadline is None else str(self.deadline * 1000))
        if block:
            values.update(first="0", template=str(block[0]), stride=str(block[1]))
        return "\t".join([values.get(name, "") for name in RECORDS["composite"]]) + "\t"


class Tree:
    """A tree with the options of the whole. rows: (ordinal, record, document as bytes, pool), root first.

    once is a name that no other tree has while it goes on, or a quiver.Once.
    """

    def __init__(self, id, root, keep=3600, delay=0, deadline=None, once=None):
        self.id = id
        self.once = check_once(root, of_once(once))
        if root.undo and root.kind != "L":
            root.leave_undo()
        self.delay = millis("delay", delay)
        self.pools = {}
        self.order = order = [root]
        parents, firsts, each = [""], [], []
        _number(order, parents, firsts, each)
        live, blocks = len(order), {}
        for owner in each:  # it grows meanwhile: templates stand behind the nodes, each a block of its own
            start = len(order)
            order.append(order[owner].template)
            parents.append("")
            _number(order, parents, firsts, each)
            blocks[owner] = (start, len(order) - start)
            if len(order) - start > LIMITS["template"]:
                raise ValueError(f"the task of a for_each has {len(order) - start} nodes, at most {LIMITS['template']}"
                                 " are allowed")
        if len(order) > _MOST_NODES:
            raise ValueError(f"a tree has {len(order)} nodes, at most {_MOST_NODES} are allowed")
        ordinals = {node.name: ordinal for ordinal, node in enumerate(order)}
        ranked = ranks.texts(order)
        self.rows = []
        for ordinal, node in enumerate(order):
            if node.pool:
                self.pools[node.pool] = True
            record = node.record(parents[ordinal], firsts[ordinal], ordinal >= live, blocks.get(ordinal), ranked[ordinal])
            self.rows.append((ordinal, record, node.write(ordinals), node.pool))
        self.facts = _FACTS.write(millis("keep", keep), len(order), "" if deadline is None else millis("deadline", deadline))

    def node_id(self, ordinal):
        return f"{self.id}.{ordinal}" if ordinal else self.id


def check_once(root, once):
    """The same; ValueError for one that this root cannot have."""
    if once and once.until == "start" and root.kind != "L":
        raise ValueError(f"once is {once!r}: until='start' is of a call or a command, not of a composite")
    return once


def _number(order, parents, firsts, each):
    """Numbers what is below the nodes that have no number yet, breadth first."""
    for ordinal in itertools.count(len(firsts)):
        if ordinal == len(order):
            return
        node = order[ordinal]
        firsts.append(len(order))
        if node.children:
            order.extend(node.children)
            parents.extend([str(ordinal)] * len(node.children))
        elif node.template is not None:
            each.append(ordinal)


class Call:
    """Trees, or a piece of a large one, that one call creates. open: another piece of its last tree follows."""

    __slots__ = ("arguments", "pools", "nodes", "bytes", "open")

    def __init__(self):
        self.arguments = []
        self.pools = {}
        self.nodes = 0
        self.bytes = 0
        self.open = False


def calls(trees):
    """The calls that create these trees, in order. A tree that fits into one call is not divided."""
    most, most_bytes = LIMITS["nodes"], LIMITS["bytes"]
    call = Call()
    for tree in trees:
        size = sum([len(row[2]) for row in tree.rows])
        if call.nodes and (call.nodes + len(tree.rows) > most or call.bytes + size > most_bytes):
            yield call
            call = Call()
        piece = []
        highest = len(tree.rows) - 1
        for ordinal, record, document, pool in tree.rows[1:] + tree.rows[:1]:
            if call.nodes == most or call.nodes and call.bytes + len(document) > most_bytes:
                _add(call, tree, "", highest, piece)
                call.open = bool(piece)
                yield call
                call, piece = Call(), []
            piece += (tree.node_id(ordinal), record, document)
            if pool:
                call.pools[pool] = True
            call.nodes += 1
            call.bytes += len(document)
        if highest:
            for pool in list(tree.pools)[:LIMITS["pools"]]:
                call.pools[pool] = True
        _add(call, tree, tree.facts, highest, piece)
    if call.nodes:
        yield call


def _add(call, tree, facts, highest, piece):
    if piece:
        call.arguments += (f"{tree.id} {tree.once.text()}" if tree.once else tree.id, facts, tree.delay, highest, len(piece) // 3)
        call.arguments += piece


def _backoff(said):
    unknown = set(said) - {"initialSeconds", "factor", "maxSeconds", "jitterPercent"}
    if unknown:
        raise ValueError(f"backoff has no {sorted(unknown)[0]!r}")
    return {"initialMillis": _whole(said, "initialSeconds", 60, 0, _WEEK) * 1000, "factor": _whole(said, "factor", 1, 1, 10),
            "mostMillis": _whole(said, "maxSeconds", 3600, 0, _WEEK) * 1000,
            "jitterPercent": _whole(said, "jitterPercent", 0, 0, 100)}


def millis(field, seconds):
    """Seconds, or a timedelta, as whole milliseconds."""
    if seconds.__class__ is int and 0 <= seconds < 1e10:
        return seconds * 1000
    seconds = seconds.total_seconds() if hasattr(seconds, "total_seconds") else seconds
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < 1e10:
        raise ValueError(f"{field} is a number of seconds, 0 or more, not {seconds!r}")
    return round(seconds * 1000)


def _whole(said, field, otherwise, least, most=2**31 - 1):
    value = said.get(field, otherwise)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most):
        raise ValueError(f"{field} is a whole number from {least} to {most}, not {value!r}")
    return value
