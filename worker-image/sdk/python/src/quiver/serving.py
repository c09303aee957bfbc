"""The life of a handler process: announce, then one task after the other until the worker ends."""

import sys
import threading

from quiver import failures, handlers, inputs, logs, outputs
from quiver.errors import Cancelled, OutputTooLarge, ProtocolError
from quiver.formats import LOCATED, Format
from quiver.interruption import Interruption
from quiver.library import EVENT_CANCEL, Slot
from quiver.memory import InputFile
from quiver.task import Task

MOST_COPIED = 16 * 1024


def serve():
    """Serves the registered handlers until the worker ends. The calling thread is the work thread: the main one, best.

    Returns at the end of the worker. Raises ProtocolError when this process was not started by a worker, and
    SystemExit when a task kept memory of its input: the worker replaces the process.
    """
    if not handlers.names():
        raise ProtocolError("no function has @quiver.handler: there is nothing to serve")
    logs.prepare()
    slot = Slot()
    interruption = Interruption()
    watcher = threading.Thread(target=_watch, args=(slot, interruption), name="quiver-watch", daemon=True)
    watcher.start()
    slot.announce(handlers.names())
    files = InputFile(slot.input_path)
    while (record := slot.take()) is not None:
        if not _attempt(slot, record, files, interruption):
            slot.replace()
            sys.exit(0)
    watcher.join()
    slot.close()


def _watch(slot, interruption):
    while True:
        event, generation = slot.event()
        if event != EVENT_CANCEL:
            return
        interruption.interrupt(generation)


def _attempt(slot, record, files, interruption):
    """From taken to free. False when the process has to be replaced; then the result is not yet settled."""
    memory = files.map(record.input_length) if _is_mapped(record) else None
    view = memory.view if memory else memoryview(record.input_bytes())
    task = Task(slot, record)
    logs.begin(task.name)
    try:
        _run(slot, record, view, task, interruption)
    finally:
        task._end()
        logs.end()
    if memory and not memory.release():
        print(
            f"quiver: {task.name} kept memory of its input after its return; this process is replaced. Copy what is to"
            " stay.",
            file=sys.stderr,
        )
        return False
    slot.release()
    return True


def _is_mapped(record):
    """Tables always, bytes from a size on from which a mapping is cheaper than a copy; JSON becomes objects anyway."""
    if record.locator:
        return False
    if record.format == Format.ARROW:
        return record.input_length > 0
    return record.format != Format.JSON and record.input_length > MOST_COPIED


def _run(slot, record, view, task, interruption):
    """From taken to reported. Only between arm and disarm can Cancelled come out of nowhere."""
    try:
        try:
            interruption.arm(record.generation)
            if slot.cancelled():  # called off before there was anything to interrupt
                raise Cancelled
            outcome = _outcome(slot, record, view, task)
        finally:
            interruption.disarm()
    except Cancelled:
        outcome = failures.called_off(slot.cancelled())
    if isinstance(outcome, failures.Failure):
        slot.rewrite()
        slot.fail(*outcome)
    else:
        slot.complete(outcome & ~LOCATED, bool(outcome & LOCATED))


def _outcome(slot, record, view, task):
    """The format of the output, which is written, or the failure."""
    try:
        handler = handlers.find(task.handler)
        value = inputs.decode(view, record.format, record.locator != 0, handler.arrow, handler.trusted)
        output = outputs.encode(handler.call(value, task))
        if output.length > record.output_limit:
            raise OutputTooLarge(output.length, record.output_limit)
        output.write(slot.write)
        return output.format
    except Cancelled:
        raise
    except BaseException as error:  # SystemExit, too, ends the task and not the process
        return failures.of(error)
