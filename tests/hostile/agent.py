"""An agent that means no good, for `mstune tune --target` with "insecure".

Usage: agent.py KIND
  devices   says that it has 60,000 devices
  terminal  control sequences in everything that a person might see
  endless   an output that never ends, and sizes that cannot be
  deaf      a trial that runs, and of which no end is ever told
Prints where it listens.
"""

import os
import sys
import time

import msgpack
import zmq

EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202eevil\r\n\x9b31m"
EVIL_BYTES = EVIL.encode() + b"\xff\x9b31m"
MIB = bytes(262144)


class Agent:
    def __init__(self, kind):
        self.kind = kind
        self.running = {}
        self.socket = zmq.Context.instance().socket(zmq.ROUTER)
        self.socket.linger = 0
        self.socket.bind("tcp://127.0.0.1:*")
        print("listening at", self.socket.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)

    def evil(self, text="x"):
        return EVIL if self.kind == "terminal" else text

    def send(self, peer, tag, payload=None, **fields):
        frames = [peer, msgpack.packb([tag, fields], use_bin_type=True)]
        self.socket.send_multipart(frames + ([payload] if payload is not None else []))

    def message(self, identity):
        return {"id": identity, "text": self.evil("text"), "arguments": [self.evil()]}

    def hello(self, peer, _):
        self.send(peer, "welcome", major=2, minor=0, software=self.evil("0.2.0"), instance="i",
                  host=self.evil("host"), boot_id="", architecture=os.uname().machine, pid=1,
                  devices=list(range(60000)) if self.kind == "devices" else [],
                  chips=[self.evil("Ascend910B2")], cann_version=self.evil("9"),
                  driver_version=self.evil("9"), notices=[self.message("evil.notice")],
                  capabilities=[])

    def ping(self, peer, fields):
        self.send(peer, "pong", sequence=fields["sequence"])

    def inspect(self, peer, fields):
        self.send(peer, "condition", sequence=fields.get("sequence", 0), store={}, queued=0,
                  sessions=1, running_s=1,
                  devices=[{"device": 0, "state": "busy", "holder": self.evil(),
                            "chip": self.evil(), "user": {"pid": 3, "name": self.evil()}}])

    def tell_deaf(self):
        for peer, key in self.running.values():
            self.send(peer, "status", key=key, state="running", events=1)

    def assign(self, peer, fields):
        if self.kind == "deaf":
            key = fields["key"]
            self.running[(key["trial"], key.get("attempt", 1))] = (peer, key)
            self.send(peer, "events", key=key, first=0,
                      events=[["started", {"pid": 1, "wall_us": 1, "program": "p"}]])
            return
        if fields.get("events_from", 0) > 0:
            return
        huge = 2**63 if self.kind == "endless" else 100
        events = [
            ["started", {"pid": 1, "wall_us": 1, "program": self.evil("p")}],
            ["notice", {"what": self.message("evil.note")}],
            ["step", {"source": EVIL_BYTES, "line": 1,
                      "text": b"[GE_MS_TUNE][STEP] api=" + EVIL_BYTES.replace(b"\n", b"") + b" step=x"}],
            ["exited", {"started": True, "exit_code": 3, "cause": "exit",
                        "detail": self.message("evil.detail"), "run_us": 1,
                        "files": [{"path": b"stdout.log", "size": 2**39 if huge > 100 else 100},
                                  {"path": b"plog/\x1b[2J_1.log", "size": huge},
                                  {"path": b"plog/b_2.log", "size": 2**64 - 1}],
                        "output_tail": EVIL_BYTES, "facts": {EVIL: EVIL}}],
        ]
        self.send(peer, "events", key=fields["key"], first=0, events=events)

    def fetch(self, peer, fields):
        self.send(peer, "file_data", MIB, key=fields["key"], file=fields["file"],
                  offset=fields["offset"], end=self.kind != "endless",
                  failure={"id": "", "text": "", "arguments": []})

    def serve(self):
        end = time.monotonic() + 120
        told = 0
        while time.monotonic() < end:
            if time.monotonic() > told + 0.5:
                told = time.monotonic()
                self.tell_deaf()
            if self.socket.poll(100):
                peer, header, *_ = self.socket.recv_multipart()
                tag, fields = msgpack.unpackb(header, raw=False, strict_map_key=False)
                handler = getattr(self, tag, None)
                if handler is not None and tag not in ("serve", "send"):
                    handler(peer, fields)


Agent(sys.argv[1]).serve()
