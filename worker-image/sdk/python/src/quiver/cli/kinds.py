"""The kinds of Quiver, and how the command line names their objects."""

from urllib.parse import quote

from quiver.cli.errors import ApiError, CliError

GROUP = "/apis/quiver.dev/v1alpha1"
POOL_LABEL = "quiver.dev/pool"


class Kind:
    """A resource: its kind, its plural in addresses, its short name for people, and further names."""

    def __init__(self, kind: str, plural: str, short: str, *others: str):
        self.kind, self.plural, self.short = kind, plural, short
        self.names = {kind.lower(), plural, short, *others}

    def path(self, namespace=None, name=None, *below):
        """The address of the list, of one object, or of a subresource of it."""
        inside = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return "/".join([f"{GROUP}{inside}/{self.plural}", *(quote(part, safe="") for part in (name, *below) if part)])


TASK_SET = Kind("TaskSet", "tasksets", "tset")
TASK = Kind("Task", "qtasks", "qtask", "tasks")
MAP_REDUCE_JOB = Kind("MapReduceJob", "mapreducejobs", "mrj")
WORKER_POOL = Kind("WorkerPool", "workerpools", "wpool", "pool", "pools", "wp")
RUNS = (TASK_SET, TASK, MAP_REDUCE_JOB)
ALL = (*RUNS, WORKER_POOL)


def split(text, kinds=ALL):
    """The kind (None where none is named) and the name of KIND/NAME or NAME."""
    word, slash, name = text.rpartition("/")
    if not slash:
        return None, _named(name)
    for kind in kinds:
        if word.lower().split(".")[0] in kind.names:
            return kind, _named(name)
    raise CliError(f"{text!r}: the kind is one of {', '.join(kind.short for kind in kinds)}")


def find(api, text, kinds=ALL):
    """The kind and the object of KIND/NAME or NAME. A bare name that several kinds have is refused."""
    kind, name = split(text, kinds)
    found = []
    for one in [kind] if kind else kinds:
        try:
            found.append((one, api.get(one.path(api.access.namespace, name))))
        except ApiError as error:
            if error.status != 404 or error.reason != "NotFound":
                raise
            if "could not find the requested resource" in str(error):
                raise not_installed(error) from None
    if not found:
        of = kind.kind if kind else " or ".join(one.kind for one in kinds)
        raise CliError(f"there is no {of} {name!r} in namespace {api.access.namespace}")
    if len(found) > 1:
        raise CliError(f"{name!r} may be {' or '.join(f'{one.short}/{name}' for one, _ in found)}: name the kind")
    return found[0]


def selected(api, selector, kinds, everywhere=False):
    """All objects of these kinds, as pairs of kind and object; with a selector of labels those that it chooses."""
    namespace = None if everywhere else api.access.namespace
    found = []
    for kind in kinds:
        try:
            found += [(kind, one) for one in api.pages(kind.path(namespace), labelSelector=selector)]
        except ApiError as error:
            if error.status == 404:
                raise not_installed(error) from None
            raise
    return found


def not_installed(error):
    return CliError(f"the cluster does not know quiver.dev/v1alpha1: is Quiver installed there? ({error})")


def label(kind, found):
    """How people name an object."""
    return f"{kind.short}/{found['metadata']['name']}"


def condition(found, type_):
    """A condition of an object's status; an empty one where it has none."""
    for one in (found.get("status") or {}).get("conditions") or ():
        if one.get("type") == type_:
            return one
    return {}


def _named(name):
    if not name or name in (".", "..") or "/" in name or len(name) > 253:
        raise CliError(f"{name!r} is no name of an object")
    return name
