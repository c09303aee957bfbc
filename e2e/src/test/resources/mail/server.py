"""A small mail server: folders with messages and flags, MOVE where it has it, and an outbox. It notes what it was told.

server.py             serves, a line of JSON for each question
server.py ask WORDS   asks it one question
"""

import json
import socket
import socketserver
import sys
import threading

PORT = 4143


class Mail:
    """Methods are what it can be asked, and their parameters the fields of a question."""

    def __init__(self):
        self.lock = threading.Lock()
        self.is_offline = False
        self.folders = {"inbox": {f"m{i}": [] for i in range(1, 11)}, "archive": {}, "drafts": {}}
        self.sent, self.told = [], []

    def answer(self, ask):
        with self.lock:
            do = ask.pop("do")
            if do in ("offline", "show"):
                return getattr(self, do)(**ask)
            if self.is_offline:
                return {"no": "offline"}
            self.told.append([do, *ask.values()])
            return getattr(self, do)(**ask)

    def show(self):
        return {"folders": self.folders, "sent": self.sent, "told": self.told}

    def offline(self, on):
        self.is_offline = on
        return {}

    def fetch(self, conversation):
        return {}

    def store(self, key, flag, on):
        flags = self.folders["inbox"][key]
        if on and flag not in flags:
            flags.append(flag)
        elif not on and flag in flags:
            flags.remove(flag)
        return {}

    def create(self, folder):
        self.folders[folder] = {}  # a second time, its messages are gone
        return {}

    def append(self, folder, key):
        self.folders[folder][key] = []
        return {}

    def copy(self, key, folder):
        copies = [name for name in self.folders[folder] if name.split("/")[0] == key]
        self.folders[folder][f"{key}/{len(copies)}"] = []  # as a server with UIDs does: a second copy is another message
        return {}

    def find(self, key, folder):
        return {"found": [name for name in self.folders[folder] if name.split("/")[0] == key]}

    def delete(self, key, folder):
        self.folders[folder].pop(key, None)
        return {}

    def move(self, key, folder):
        return {"no": "MOVE is not known"}

    def send(self, key):
        self.sent.append(key)
        return {}

    def was_sent(self, key):
        return {"found": key in self.sent}


class Connection(socketserver.StreamRequestHandler):
    """Answers until the other side is gone."""

    def handle(self):
        for line in self.rfile:
            self.wfile.write(json.dumps(self.server.mail.answer(json.loads(line))).encode() + b"\n")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 64
    mail = Mail()


def ask(words):
    with socket.create_connection(("127.0.0.1", PORT), 10) as link:
        link.sendall(words.encode() + b"\n")
        return link.makefile().readline()


if __name__ == "__main__":
    if sys.argv[1:2] == ["ask"]:
        print(ask(sys.argv[2]), end="")
    else:
        Server(("0.0.0.0", PORT), Connection).serve_forever()
