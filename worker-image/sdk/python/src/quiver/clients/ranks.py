"""Where tasks stand among the waiting ones of their pool, as the scripts keep it. No I/O."""

import re

from quiver.clients.description import LIMITS

_NAME = re.compile("[!-~]{1,%d}" % LIMITS["tag"])
_LIST, _GROUP, _PART = "\x1e", "\x1d", "\x1f"
_PLAIN = (0, ())


def check_name(field, name):
    """Raises ValueError for what is no name of a tag, an owner, a resource or a fairness key."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{field} has {name!r}, 1 to {LIMITS['tag']} printable characters of ASCII without blanks are allowed")
    return name


class Rank:
    """What a node says of its rank itself; None for what it leaves to the node above it."""

    __slots__ = ("priority", "tags", "share", "resources")

    def __init__(self, said):
        self.priority, self.tags, self.share = said.get("relPriority"), said.get("tags"), said.get("fairnessKey")
        most = LIMITS["relPriority"]
        if self.priority is not None and (isinstance(self.priority, bool) or not isinstance(self.priority, int)
                                          or not -most <= self.priority <= most):
            raise ValueError(f"relPriority is a whole number from -{most} to {most}, not {self.priority!r}")
        if self.tags is not None:
            if isinstance(self.tags, (str, bytes)):
                raise TypeError(f"tags are a list of texts, not {self.tags!r}")
            self.tags = tuple(sorted({check_name("tags", tag) for tag in self.tags}))
            if len(self.tags) > LIMITS["tags"]:
                raise ValueError(f"tags has {len(self.tags)} names, at most {LIMITS['tags']} are allowed")
        if self.share is not None:
            check_name("fairnessKey", self.share)
        self.resources = said.get("resources")
        if self.resources is not None:
            if isinstance(self.resources, (str, bytes)):
                raise TypeError(f"resources are a list of texts, not {self.resources!r}")
            self.resources = tuple(dict.fromkeys(check_name("resources", name) for name in self.resources))
            if len(self.resources) > LIMITS["resources"]:
                raise ValueError(f"resources has {len(self.resources)} names, at most {LIMITS['resources']} are allowed")

    def says_nothing(self):
        return self.priority is None and self.tags is None and self.share is None and self.resources is None


def texts(order):
    """The rank and the fairness key of each node of a tree, root first; None of those that have none.

    A task that others wait for stands at least where they stand: in a chain each child waits for those before it.
    """
    said = {id(node): node.rank for node in order if node.rank is not None}
    if not said:
        return [None] * len(order)
    found = {}
    _below(order[0], said, (0, (), "", ()), (), found)
    return [found.get(id(node)) for node in order]


def _below(node, said, above, lenders, found):
    own = _own(node, said, above)
    if node.kind == "L":
        found[id(node)] = (_text(own[:2], lenders, own[3]), own[2])
    children = [node.template] if node.template is not None else node.children
    following = lenders
    for child in reversed(children):
        _below(child, said, own, following, found)
        if node.kind == "C" and len(following) < LIMITS["lenders"]:
            following = tuple(dict.fromkeys((*following, *_ranks(child, said, own))))[:LIMITS["lenders"]]


def _own(node, said, above):
    rank = said.get(id(node))
    if rank is None:
        return above
    return (above[0] if rank.priority is None else rank.priority, above[1] if rank.tags is None else rank.tags,
            above[2] if rank.share is None else rank.share, above[3] if rank.resources is None else rank.resources)


def _ranks(node, said, above):
    own = _own(node, said, above)
    if node.kind == "L":
        yield own[:2]
    for child in [node.template] if node.template is not None else node.children:
        yield from _ranks(child, said, own)


def _text(own, lenders, resources):
    """Of too many lenders the highest count."""
    names = _LIST.join(resources)
    groups, size = [], len(names)
    for rank in sorted(lenders, key=lambda rank: -rank[0]):
        if rank == own or own == _PLAIN == rank:
            continue
        group = str(rank[0]) + "".join(_LIST + tag for tag in rank[1])
        size += len(group) + 1
        if len(groups) < LIMITS["groups"] and size <= LIMITS["lent"]:
            groups.append(group)
    if own == _PLAIN and not groups and not names:
        return ""
    return f"{own[0]}{_PART}{_LIST.join(own[1])}{_PART}{_GROUP.join(groups)}" + (_PART + names if names else "")
