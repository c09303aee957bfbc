"""A mail account as tasks: conversations are synced, flags are merged, drafts can be undone, and nothing is sent twice."""

import json
import os
import socket
import time

import quiver

ONLINE = ["online!account!0"]


def imap(do, **fields):
    """Asks the server. While that is offline, so are all tasks that need it."""
    answer = asked(do, **fields)
    if answer.get("no") == "offline":
        raise quiver.Blocked("online", seconds=5)
    return answer


def asked(do, **fields):
    with socket.create_connection(("imap", 4143), 10) as link:
        link.sendall(json.dumps({"do": do, **fields}).encode() + b"\n")
        return json.loads(link.makefile().readline())


@quiver.iterator("conversations")
def conversations(first, count, it):
    """A task for each conversation."""
    for i in range(first + it.created, first + count):
        yield quiver.call("sync", i, tags=[f"view:conv:0.{i}"], rel_priority=-1000, resources=ONLINE)


@quiver.handler("sync")
def sync(conversation):
    imap("fetch", conversation=conversation)
    time.sleep(0.05)


@quiver.complex("flags")
class Flags:
    """Of messages. What is asked for and its opposite, while both wait, are nothing to do."""

    def plan(self, request, state, markers):
        name = f"{request['message']}.{request['flag']}"
        if state.get(name) == (not request["on"]):
            return quiver.Done("void", state=[quiver.delete(name)], markers={name: None})
        return quiver.Done(
            "waits",
            state=[quiver.set(name, request["on"])],
            markers={name: quiver.marker(tags=["send"], resources=ONLINE)},
        )

    def execute(self, state, marker):
        name = marker["id"]
        message, flag = name.split(".")
        imap("store", key=message, flag=flag, on=state[name])
        return quiver.Done(state=[quiver.delete(name)])


@quiver.plan("save-draft")
def plan_draft(key, folder="drafts"):
    """A folder of its own may be missing: it is made once, however many drafts wait for it."""
    first = [quiver.call("make-folder", folder, resources=ONLINE, once=f"folder:{folder}")] if folder != "drafts" else []
    undo = [quiver.call("drop-draft", key, rel_priority=100)]
    return quiver.Plan(rel_priority=100, resources=ONLINE, before=first, undo=undo)


@quiver.handler("make-folder")
def make_folder(folder):
    imap("create", folder=folder)


@quiver.handler("save-draft")
def save_draft(key, folder="drafts"):
    imap("append", folder=folder, key=key)


@quiver.handler("drop-draft")
def drop_draft(key):
    imap("delete", key=key, folder="drafts")


@quiver.handler("send")
def send(key):
    imap("send", key=key)
    time.sleep(3)  # its worker is killed meanwhile


@quiver.contingency("send")
def was_sent(key):
    return quiver.Done() if imap("was_sent", key=key)["found"] else quiver.Redo()


@quiver.handler("move")
def move(key, folder, task):
    """A server without MOVE copies and deletes. A worker that dies in between leaves the message in both."""
    if "no" not in imap("move", key=key, folder=folder):
        return
    imap("copy", key=key, folder=folder)
    if task.trial == 1:
        os._exit(3)
    asked("delete", key=key, folder="inbox")


@quiver.contingency("move")
def was_moved(key, folder):
    if not imap("find", key=key, folder=folder)["found"]:
        return quiver.Redo()
    return quiver.Done(tasks=[quiver.call("delete", key, rel_priority=100)])


@quiver.handler("delete")
def delete(key):
    imap("delete", key=key, folder="inbox")


if __name__ == "__main__":
    quiver.serve()
