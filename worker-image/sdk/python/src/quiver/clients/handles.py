"""Tasks as a program holds them, and batches in which they are made."""

from quiver import nodes
from quiver.clients.description import new_id
from quiver.clients.submissions import Submission
from quiver.clients.trees import Node, Tree, check_once
from quiver.once import of as of_once, read as read_once


class Handle:
    """A task, chain or group of a program. Its methods do what the client's do; of an AsyncClient they are awaited.

    id names it in Redis; it is known when the batch was flushed, and by it another program can ask for the same task.
    """

    __slots__ = ("id", "_client", "_node", "_options", "_within", "_children", "_ended")

    def __init__(self, client, id=None, node=None, options=None, children=()):
        self.id = id
        self._client = client
        self._node = node
        self._options = options
        self._within = None
        self._children = children
        self._ended = None  # those that were seen to have ended with it

    def __repr__(self):
        return f"<quiver task {self.id or 'not flushed'}>"

    def wait(self, timeout=None):
        return self._client.wait([self], timeout)

    def result(self, timeout=None):
        """Waits for it; its value, or TaskFailed, TaskCancelled, TaskGone."""
        return self._client.result(self, timeout)

    def state(self):
        """waiting, idle (a composite that goes on), startable (queued), locked (runs), restart (waits for its next
        trial), finished, failed or gone."""
        return self._client.state(self)

    def cancel(self):
        """Ends it with all below it; whether this call did so."""
        return self._client.cancel(self)

    def undo(self):
        """Undoes it; see the client's undo()."""
        return self._client.undo(self)


READ_AHEAD = 64  # outcomes of one read


class Ended:
    """Tasks that were seen to have ended in one look. Who asks for one result asks for the next ones soon: those are read
    along, and each is given out once."""

    def __init__(self, ids):
        self._ids = ids
        self._at = {id: i for i, id in enumerate(ids)}
        self._ahead = 0  # up to where somebody has read, or reads now
        self._found = {}

    def outcome(self, exchange, id):
        """The value of one of them, or an exception."""
        at, found = self._at[id], self._found
        if id not in found:
            ids = self._ids[at:at + READ_AHEAD] if at >= self._ahead else [id]
            self._ahead = max(self._ahead, at + len(ids))
            found = dict(zip(ids, (yield from exchange.outcomes(ids))))
            if len(ids) > 1:
                self._found = found
        return found.pop(id)


def note_ended(ids, of):
    """Lets handles know what ended with them. `of` has the handles, or texts, of each id; answers them all, in order."""
    ended, tasks = Ended(ids), []
    for id in ids:
        for task in of[id]:
            if isinstance(task, Handle):
                task._ended = ended
            tasks.append(task)
    return tasks


def seen_end(task):
    """The end of a handle that as_completed() gave out, for one result; None of any other task."""
    if not isinstance(task, Handle):
        return None
    ended, task._ended = task._ended, None
    return ended


def id_of(task):
    """The id of a handle, or of a text."""
    id = task.id if isinstance(task, Handle) else task
    if not isinstance(id, str):
        raise ValueError(f"{task!r} was not flushed" if isinstance(task, Handle) else f"{task!r} is no task")
    return id


_NO_OPTIONS = (None, 0, None, None)


class BaseBatch:
    """Tasks that are created together when the block ends. A block that raises creates none of them."""

    def __init__(self, client, pool, keep, durable=False):
        self._client = client
        self._pool = pool
        self._keep = keep
        self._durable = durable
        self._lasts = None  # how it is learned that they last; kept while that is not known
        self._handles = []
        self._named = []  # whose task may turn out to be another one
        self._submission = Submission()
        self._pending = []

    @property
    def pending(self):
        """The handles of those tasks, chains and groups that a flush was to create and Redis has not confirmed."""
        return list(self._pending)

    def task(self, handler, args=(), *, pool=None, name=None, max_trials=None, backoff=None, total=None, env=None,
             timeout=None, keep=None, delay=0, deadline=None, once=None, plan=None, plan_seconds=None,
             undo=None, contingency=None, complex_key=None, **rank):
        """The function of this name with these arguments, each a JSON value.

        backoff is the wait before another trial, as of quiver.call. timeout is what each trial may take, deadline what
        all of it may take, delay when it begins, keep for how long it is there after its end, all in seconds. once is a name
        that no other task has while it goes on: while there is one, the handle is of that one; or it is a quiver.Once. These
        four are of whole trees: not of tasks within a composite. plan, plan_seconds, undo, contingency, complex_key,
        rel_priority, tags, fairness_key and resources are as of quiver.call.
        """
        said = nodes.call(handler, *args, name=name, pool=pool, max_trials=max_trials, backoff=backoff, total=total, env=env,
                          active_deadline_seconds=timeout, plan=plan, plan_seconds=plan_seconds, undo=undo,
                          contingency=contingency, complex_key=complex_key, **rank)
        return self._add(said, (), keep, delay, deadline, once)

    def command(self, words, *, pool=None, name=None, max_trials=None, backoff=None, total=None, env=None, working_dir=None,
                timeout=None, keep=None, delay=0, deadline=None, once=None, **rank):
        """A program and its arguments. The rest is as of task()."""
        said = nodes.command(words, name=name, pool=pool, max_trials=max_trials, backoff=backoff, total=total, env=env,
                             working_dir=working_dir, active_deadline_seconds=timeout, **rank)
        return self._add(said, (), keep, delay, deadline, once)

    def chain(self, *tasks, name=None, on_child_error=None, timeout=None, keep=None, delay=0, deadline=None, once=None,
              undo=None, **rank):
        """Tasks one after the other, each with the result of the one before it as its last argument. rel_priority, tags,
        fairness_key and resources are those of tasks that say none themselves. undo=True asks the plans in it what would undo
        it, for the client's undo()."""
        said = nodes.chain([], undo=undo, **rank)
        return self._compose(said, tasks, name, None, on_child_error, timeout, (keep, delay, deadline, once))

    def group(self, *tasks, name=None, window=None, on_child_error=None, timeout=None, keep=None, delay=0, deadline=None,
              once=None, undo=None, **rank):
        """Tasks side by side, at most `window` at a time; its result is the list of theirs. The rest is as of chain()."""
        said = nodes.group([], undo=undo, **rank)
        return self._compose(said, tasks, name, window, on_child_error, timeout, (keep, delay, deadline, once))

    def for_each(self, task, *, name=None, window=None, on_child_error=None, timeout=None, **rank):
        """In a chain: a task that quiver.call, command, chain or group made, for each element of the list before it.

        At most `window` run at a time; its result is the list of theirs. The tasks that it makes have no handles.
        """
        said = nodes.for_each(task, name=name, window=window, on_child_error=on_child_error, active_deadline_seconds=timeout,
                              **rank)
        return self._add(said, (), *_NO_OPTIONS)

    def add(self, node, *, keep=None, delay=0, deadline=None, once=None):
        """A task that quiver.call, command, chain, group or for_each made. Its own once counts where none is given here."""
        said = dict(nodes.check(node))
        own = said.pop("once", None)
        return self._add(said, (), keep, delay, deadline, read_once(own) if once is None and own else once)

    def _compose(self, said, tasks, name, window, on_child_error, timeout, options):
        children = said["chain"] if "chain" in said else said["group"]
        handles = []
        for task in tasks:
            for child in [task] if isinstance(task, (Handle, dict)) or not hasattr(task, "__iter__") else task:
                handles.append(child if isinstance(child, Handle) else self._add(child, (), *_NO_OPTIONS))
        for handle in handles:
            if handle._node is None or handle._client is not self._client or handle.id is not None:
                raise ValueError(f"{handle!r} is no new task of this client")
            if handle._within is not None:
                raise ValueError("a task stands in one composite at most")
            if handle._options != _NO_OPTIONS:
                raise ValueError("keep, delay, deadline and once are of whole trees, not of tasks within a composite")
        children.extend(handle._node for handle in handles)
        for key, value in (("name", name), ("window", window), ("onChildError", on_child_error),
                           ("activeDeadlineSeconds", timeout)):
            if value is not None:
                said[key] = value
        whole = self._add(said, handles, *options)
        for handle in handles:
            handle._within = whole
        return whole

    def _add(self, said, children, keep, delay, deadline, once):
        node = Node(said, self._pool)
        check_once(node, of_once(once))
        handle = Handle(self._client, None, node, (keep, delay, deadline, once), children)
        self._handles.append(handle)
        return handle

    def _stage(self):
        """What Redis is to be told: what an earlier flush could not say, and the trees made since."""
        self._submission.add(self._trees())
        return self._submission

    def _confirmed(self):
        self._pending = []

    def _trees(self):
        """The trees of all handles that stand in no composite; all handles get their ids."""
        made = []
        for handle in self._handles:
            if handle._within is None:
                keep, *rest = handle._options
                made.append((handle, Tree(new_id(), handle._node, self._keep if keep is None else keep, *rest)))
        self._named += [(handle, tree.once.name) for handle, tree in made if tree.once]
        self._pending += [handle for handle, _ in made]
        for root, tree in made:
            if not root._children:
                root.id, root._node = tree.id, None
                continue
            ordinals = {id(node): ordinal for ordinal, node in enumerate(tree.order)}
            below = [root]
            while below:
                handle = below.pop()
                handle.id = tree.node_id(ordinals[id(handle._node)])
                below.extend(handle._children)
        self._handles = []
        return [tree for _, tree in made]

    def _resolve(self, exchange):
        """Gives handles of names the ids of the tasks that have them."""
        ids = yield from exchange.holders([(handle.id, once) for handle, once in self._named])
        for (handle, _), id in zip(self._named, ids):
            handle.id = id
        self._named = []
