"""The life of a handler process: announce, then one task after the other until the worker ends."""

import sys
import threading

from quiver import batches, failures, handlers, inputs, logs, outputs, plans, scratch
from quiver.errors import Cancelled, OutputTooLarge, ProtocolError
from quiver.formats import LOCATED, Format
from quiver.interruption import Interruption
from quiver.library import EVENT_CANCEL, Slot
from quiver.memory import InputFile
from quiver.task import Task

_JSON, _ARROW, _ARGUMENTS = Format.JSON.value, Format.ARROW.value, Format.ARGUMENTS.value  # plain numbers are quicker to compare


def serve():
    """Serves the registered handlers until the worker ends. The calling thread is the work thread: the main one, best.

    Returns at the end of the worker. Raises ProtocolError when this process was not started by a worker, and
    SystemExit when a task kept memory of its input: the worker replaces the process.
    """
    if not handlers.names():
        raise ProtocolError("no function has @quiver.handler or @quiver.iterator: there is nothing to serve")
    plans.join()
    logs.prepare()
    slot = Slot()
    interruption = Interruption()
    watcher = threading.Thread(target=_watch, args=(slot, interruption), name="quiver-watch", daemon=True)
    watcher.start()
    slot.announce(handlers.names())
    files = InputFile(slot.input_path)
    while (record := slot.take()) is not None:
        run = _call_all if handlers.takes_batches(record.handler) else _call
        if not run(slot, record, files, interruption):
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


def _call(slot, record, files, interruption):
    """From taken to free. False when the process has to be replaced; then the result is not yet settled."""
    memory = files.map(record.input_offset, record.input_length) if _is_mapped(record) else None
    view = memory.view if memory else memoryview(record.input_bytes())
    if memory is None:
        slot.let_go()
    task = Task(slot, record.name, record.handler, record.trial, record.allowed, record.variables())
    logs.begin(task)
    try:
        _run(slot, record, view, task, interruption)
    finally:
        task._end()
        logs.end()
    if memory and not memory.release():
        _complain(task)
        return False
    slot.release()
    return True


def _call_all(slot, record, files, interruption):
    """The same for a function that takes all tasks of the dispatch in one call."""
    handler = handlers.find(record.handler)
    call = batches.Call(slot, record)
    tasks = call.tasks() if handler.wants_task else call.tasks(1)
    first = tasks[0]
    logs.begin(first, len(call.parts) - 1)
    try:
        _run_all(slot, record, call, handler, files, tasks if handler.wants_task else None, interruption)
    finally:
        for task in tasks:
            task._end()
        logs.end()
    if not call.release():
        _complain(first)
        return False
    slot.release()
    return True


def _complain(task):
    print(
        f"quiver: {task.name} kept memory of its input after its return; this process is replaced. Copy what is to stay.",
        file=sys.stderr,
    )


def _is_mapped(record):
    format = record.format
    return format != _JSON and batches.is_mapped(format, record.locator, record.input_length)


def _interruptible(slot, record, interruption, work, *arguments):
    """What the work makes, or the failure of one that was called off: only in here can Cancelled come out of nowhere."""
    try:
        try:
            # Called off before there was anything to interrupt. Of a deadline that is over the watch thread may hear later.
            if not interruption.arm(record.generation) or (record.deadline and slot.cancelled()):
                raise Cancelled
            return work(*arguments)
        finally:
            interruption.disarm()
    except Cancelled:
        return failures.called_off(slot.cancelled())


def _run(slot, record, view, task, interruption):
    """From taken to reported."""
    outcome = _interruptible(slot, record, interruption, _outcome, slot, record, view, task)
    if isinstance(outcome, outputs.Output) and outcome.data is not None and not outcome.format & LOCATED:
        outcome = _passed(slot, outcome)
    if isinstance(outcome, failures.Failure):
        slot.rewrite()
        slot.fail(*outcome)
    elif outcome is not None:
        slot.complete(outcome.format & ~LOCATED, bool(outcome.format & LOCATED))


def _run_all(slot, record, call, handler, files, tasks, interruption):
    outcome = _interruptible(slot, record, interruption, _outcomes, call, handler, files, tasks)
    if isinstance(outcome, failures.Failure):
        slot.fail_all(*outcome)
    else:
        if call.has_copies():
            slot.let_go()
        batches.report(slot, record, outcome)


def _outcomes(call, handler, files, tasks):
    try:
        return batches.run(call, handler, files, tasks)
    except Cancelled:
        raise
    except BaseException as error:
        return failures.of(error)


def _passed(slot, output):
    """Writes and reports at once; the failure when that could not be done."""
    try:
        slot.passed(output.format, output.data)
    except ProtocolError as error:
        return failures.of(error)
    return None


def _outcome(slot, record, view, task):
    """The output, which is written unless its bytes lie ready, or the failure."""
    try:
        handler = handlers.find(record.handler)
        format = record.format
        value = inputs.decode(view, format, record.locator != 0, handler.arrow, handler.trusted)
        before = task._arguments() if format == _ARROW else ()
        if format == _ARGUMENTS and scratch.is_list(task):
            value[-1] = scratch.given(value[-1], handler.arrow, handler.trusted)
        if before or format == _ARGUMENTS:
            value = handler.call_with([*before, value] if before else value, task)
        else:
            value = handler.call(value, task)
        output = handler.encode(value)
        if scratch.takes(output, task):
            output = outputs.encode(scratch.place(output, task))
        if output.length > record.output_limit:
            raise OutputTooLarge(output.length, record.output_limit)
        if output.data is None or output.format & LOCATED:
            output.write(slot.write)
        return output
    except Cancelled:
        raise
    except BaseException as error:  # SystemExit, too, ends the task and not the process
        return failures.of(error)
