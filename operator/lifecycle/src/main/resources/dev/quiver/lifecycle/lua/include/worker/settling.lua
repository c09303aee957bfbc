-- The letters of settlements and of their verdicts: what a step's script is told of a task, and what it answers. Java has
-- the same in SettlementKind and StepCall.Verdict.
-- MODULE settling
settling.PASSED = 'p'
settling.PENDING = 'q' -- it does not count against its source, and is shown as such
settling.ITERATED = 'i' -- an iterator has answered
settling.EFFECTS = 'e' -- it has passed, and its function brought tasks
settling.PLANNED = 'n' -- its plan is made, and it is to be executed
settling.FAILED = 'f'
settling.FAILED_FOR_GOOD = 'x'
settling.FAILED_FOR_ALL = 'y' -- for good, and its source ends with it
settling.LOST = 'l' -- the worker was lost under it
settling.RETURNED = 'r' -- it was not run
settling.BROKEN_OFF = 'o' -- it ran and was broken off: whether it did what it does is not known
settling.MOVED = 'm' -- to another place
settling.FAILED_FOR_NOW = 'd' -- and then the ms before which it is not tried again
settling.RETURNED_FOR_NOW = 'w' -- and then the ms for which it waits
settling.DOUBTFUL = 'u' -- failed, as above: the ms follow before which it is looked into
settling.BLOCKED = 'b' -- it was not run, since a resource is missing; and then the ms for which that lasts

settling.COUNTED = 'c'
settling.RETRIED = 't' -- it counts, and the task runs again
settling.ALREADY = 'a' -- it was counted before
settling.VOID = 'v' -- it counts nothing

-- The ms of a failure that is not to be tried again at once, as text; nothing of other kinds.
function settling.delay(kind) return string.match(kind, '^d(%d+)$') end
-- The ms of a return that waits, as text; nothing of other kinds.
function settling.pause(kind) return string.match(kind, '^w(%d+)$') end
-- The ms for which a resource is missing, as text; nothing of other kinds.
function settling.missing(kind) return string.match(kind, '^b(%d+)$') end
-- The ms of a failure that leaves doubt, as text; nothing of other kinds.
function settling.doubt(kind) return string.match(kind, '^u(%d+)$') end
-- Whether it ends a trial: nothing that was returned or moved does.
function settling.ends_trial(kind) return not string.find(kind, '^[rmwbo]') end
