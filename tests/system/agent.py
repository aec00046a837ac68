"""An agent as protocol/README.md describes it, with nothing of mstune's own code.

Usage: agent.py PORT AGENT.key [--version 1] [--oversized]. Prints where it listens, serves one coordinator after
the other until it is ended, and keeps to what the page says, no more: one trial at a time, no
devices, no rules. With `--version 1` it speaks as agents of protocol 1 do. With `--oversized` its
first word about a trial is a frame that is larger than any may be.
"""

import argparse
import hashlib
import os
import pathlib
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import time

import msgpack
import zmq

PAYLOAD_MAX = 262144
STEP_TAG = b"[GE_MS_TUNE][STEP]"
EVENT_MARKS = (b"rollback to single stream", b"need to unload other models",
               b"[IMAS]AfterAssignMemory", b"Load model from cache success")
WINDOW = 1048576


class Speech:
    """How values are put on the wire, by version."""

    def __init__(self, version):
        self.version = version

    def raw(self, value):
        """A field of the type bin; version 1 had str there."""
        return value if self.version > 1 else value.decode("utf-8", "replace")

    @staticmethod
    def text(value):
        """Text of a system: str where it is UTF-8, else bin."""
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value

    @staticmethod
    def message(identity, text):
        return {"id": identity, "text": text, "arguments": []}


class Trial:
    """One attempt: a process in a directory of its own, and its events."""

    def __init__(self, key, spec, root, speech, store):
        self.key, self.spec, self.speech = key, spec, speech
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=root))
        self.events, self.files, self.process = [], [], None
        self.acknowledged = self.sent = 0
        self.cause = "exit"
        (self.directory / "plog").mkdir()
        (self.directory / "om").mkdir()
        for file in spec.get("files", []):
            (self.directory / "om" / file["name"]).write_bytes(store[file["identity"]])
        self.start()

    def command(self):
        om = str(self.directory / "om" / self.spec.get("om", ""))
        files = str(self.directory / "om")
        shell = self.spec.get("shell", False)
        quote = shlex.quote if shell else str
        words = [word.replace("{om}", quote(om)) for word in self.spec["command"]]
        if self.spec.get("files"):
            words = [word.replace("{files}", quote(files)) for word in words]
        return ["/bin/bash", "-c", words[0]] if shell else words

    def environment(self):
        variables = dict(os.environ) if self.spec.get("inherit_environment", True) else {}
        variables.update(self.spec.get("environment", {}))
        for name in [*self.spec.get("unset", []), "MINIDAG_PROFILING_PATH"]:
            variables.pop(name, None)
        variables.update({
            "ASCEND_PROCESS_LOG_PATH": str(self.directory / "plog"),
            "ASCEND_GLOBAL_EVENT_ENABLE": "1",
            "ASCEND_SLOG_PRINT_TO_STDOUT": "0",
            "ASCEND_SLOG_PRINT_TO_STDOUT_EX": "0",
        })
        return variables

    def start(self):
        self.began = time.monotonic()
        output = open(self.directory / "stdout.log", "wb")
        try:
            self.process = subprocess.Popen(
                self.command(), env=self.environment(), stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, start_new_session=True,
                cwd=self.spec.get("working_directory") or self.directory)
        except OSError as failure:
            self.exit(0, "not_started", Speech.message("python.not_started", str(failure)))
            return
        self.events.append(["started", {"pid": self.process.pid,
                                        "wall_us": int(time.time() * 1e6),
                                        "program": self.spec["command"][0]}])

    def cancel(self):
        if self.process is not None and self.process.poll() is None:
            self.cause = "cancelled"
            os.killpg(self.process.pid, signal.SIGKILL)

    def look(self):
        limit = self.spec.get("timeout_ms", 0)
        if limit and self.process is not None and time.monotonic() > self.began + limit / 1000:
            self.cancel()
            self.cause = "timeout"
        if self.process is not None and not self.has_exited() and self.process.poll() is not None:
            self.read_lines()
            self.exit(self.process.returncode, self.cause, Speech.message("", ""))

    def has_exited(self):
        return bool(self.events) and self.events[-1][0] == "exited"

    def paths(self):
        plog = sorted(path for path in (self.directory / "plog").rglob("*") if path.is_file())
        return [self.directory / "stdout.log", *plog]

    def read_lines(self):
        for path in self.paths():
            source = bytes(path.relative_to(self.directory))
            for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
                kind = None
                if STEP_TAG in line:
                    kind = "step"
                elif b"GE(" in line and any(mark in line for mark in EVENT_MARKS):
                    kind, line = "event_line", line[:1024]
                if kind == "step" or (kind and self.speech.version > 1):
                    self.events.append([kind, {"source": self.speech.raw(source), "line": number,
                                               "text": line}])

    def exit(self, status, cause, detail):
        self.files = [path for path in self.paths() if path.exists()]
        output = (self.directory / "stdout.log").read_bytes()
        fields = {
            "started": self.process is not None,
            "exit_code": status,
            "cause": cause,
            "detail": detail,
            "run_us": int((time.monotonic() - self.began) * 1e6),
            "files": [{"path": self.speech.raw(bytes(path.relative_to(self.directory))),
                       "size": path.stat().st_size} for path in self.files],
            "output_tail": self.speech.raw(b"\n".join(output.splitlines()[-20:])),
        }
        if self.speech.version > 1:
            fields["facts"] = {"plog_files": len(self.files) - 1, "a_fact_of_tomorrow": "x",
                               "a_type_of_tomorrow": [1.5]}
        self.events.append(["exited", fields])

    def remove(self):
        self.cancel()
        shutil.rmtree(self.directory, ignore_errors=True)


class Agent:
    def __init__(self, arguments):
        self.speech = Speech(arguments.version)
        self.socket = zmq.Context.instance().socket(zmq.ROUTER)
        self.socket.linger = 1000
        self.socket.maxmsgsize = 266240
        secret = dict(line.split(" ", 1) for line in
                      open(arguments.key, encoding="utf-8").read().splitlines()[1:])
        self.socket.curve_server = True
        self.socket.curve_secretkey = bytes.fromhex(secret["secret"])
        self.socket.curve_publickey = bytes.fromhex(secret["public"])
        self.socket.bind(f"tcp://127.0.0.1:{arguments.port}")
        print("listening at", self.socket.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)
        self.root = tempfile.mkdtemp(prefix="python-agent-")
        self.instance = os.urandom(8).hex()
        self.sessions, self.trials, self.released = {}, {}, set()
        self.store, self.upload = {}, None
        self.offers, self.status_at = [], 0.0
        self.oversized = arguments.oversized

    def send(self, peer, tag, payload=None, **fields):
        frames = [peer, msgpack.packb([tag, fields], use_bin_type=True)]
        self.socket.send_multipart(frames + ([payload] if payload is not None else []))

    # ---- sessions ----
    def hello(self, peer, fields, _):
        major = fields.get("major", 1)
        oldest = fields.get("oldest_major", 0) or major
        if not oldest <= self.speech.version <= major:
            newer = oldest > self.speech.version
            self.send(peer, "failure", request="hello", what=Speech.message(
                "agent.too_old" if newer else "agent.coordinator_too_old",
                "upgrade the agent" if newer else "upgrade the coordinator"))
            return
        self.sessions = {other: campaign for other, campaign in self.sessions.items()
                         if campaign != fields["campaign"]}
        self.sessions[peer] = fields["campaign"]
        self.offers, self.upload = [], None
        self.send(peer, "welcome", major=self.speech.version, minor=0, software="agent.py 1",
                  capabilities=[], instance=self.instance, host="python", boot_id="",
                  architecture=os.uname().machine, pid=os.getpid(), devices=[], chips=[],
                  notices=[], colour="green")

    def ping(self, peer, fields, _):
        self.send(peer, "pong", sequence=fields.get("sequence", 0))

    def goodbye(self, peer, _fields, _):
        campaign = self.sessions.pop(peer, None)
        for name in [name for name, trial in self.trials.items()
                     if trial.key["campaign"] == campaign]:
            self.trials.pop(name).remove()

    def inspect(self, peer, fields, _):
        self.send(peer, "condition", sequence=fields.get("sequence", 0), store={}, queued=0,
                  devices=[{"device": -1, "state": "busy" if self.trials else "free"}],
                  sessions=len(self.sessions), running_s=1)

    # ---- trials ----
    @staticmethod
    def name_of(key):
        return (key["campaign"], key["trial"], key.get("attempt", 1), key.get("instance", ""))

    def status(self, peer, key, state, events=0):
        fields = {"key": key, "state": state, "events": events}
        self.send(peer, "status", **fields)

    def assign(self, peer, fields, _):
        key, start = fields["key"], fields.get("events_from", 0)
        name = self.name_of(key)
        trial = self.trials.get(name)
        if trial is not None:
            trial.sent = max(trial.acknowledged, min(start, len(trial.events)))
            return
        if (key.get("instance") != self.instance or start > 0 or name in self.released or
                key["campaign"] != self.sessions[peer]):
            self.status(peer, key, "lost")
            return
        if fields["spec"].get("instances", 1) != 1:
            self.send(peer, "failure", request="assign",
                      what=Speech.message("python.no_instances", "one instance only"))
            return
        if self.oversized:
            self.oversized = False
            self.socket.send_multipart([peer, bytes(3 << 20)])
        self.trials[name] = Trial(key, fields["spec"], self.root, self.speech, self.store)

    def with_trial(self, peer, fields, act):
        trial = self.trials.get(self.name_of(fields["key"]))
        if trial is None or fields["key"]["campaign"] != self.sessions[peer]:
            self.status(peer, fields["key"], "lost")
        else:
            act(trial)

    def cancel(self, peer, fields, _):
        self.with_trial(peer, fields, Trial.cancel)

    def acknowledge(self, peer, fields, _):
        def act(trial):
            if fields["events"] <= trial.sent:
                trial.acknowledged = max(trial.acknowledged, fields["events"])
        self.with_trial(peer, fields, act)

    def release(self, peer, fields, _):
        def act(trial):
            if trial.has_exited():
                name = self.name_of(trial.key)
                self.released.add(name)
                self.trials.pop(name).remove()
        self.with_trial(peer, fields, act)

    def fetch(self, peer, fields, _):
        def act(trial):
            content, failure = b"", Speech.message("", "")
            if fields["file"] < len(trial.files):
                with open(trial.files[fields["file"]], "rb") as file:
                    file.seek(fields["offset"])
                    content = file.read(min(fields["length"], PAYLOAD_MAX))
                    end = file.read(1) == b""
            else:
                end, failure = True, Speech.message("python.no_such_file", "no such file")
            self.send(peer, "file_data", content, key=trial.key, file=fields["file"],
                      offset=fields["offset"], end=end, failure=failure)
        self.with_trial(peer, fields, act)

    # ---- files: one offer at a time, in their order ----
    def offer(self, peer, fields, _):
        self.offers.append(dict(fields, peer=peer, digests=[], lengths=[], taken=0))
        self.next_offer()

    def next_offer(self):
        while self.upload is None and self.offers:
            offer = self.offers.pop(0)
            if offer["identity"] in self.store:
                self.send(offer["peer"], "stored", upload=offer["upload"])
            else:
                self.upload = offer
                self.ask(offer)

    def ask(self, offer):
        if len(offer["lengths"]) < offer["chunks"]:
            self.send(offer["peer"], "list_request", upload=offer["upload"],
                      first=len(offer["lengths"]))
            return
        offer["content"] = [None] * offer["chunks"]
        lacks = bytearray((offer["chunks"] + 7) // 8)
        for i in range(offer["chunks"]):
            lacks[i // 8] |= 1 << i % 8
        self.send(offer["peer"], "need", upload=offer["upload"], lacks=bytes(lacks),
                  window_bytes=WINDOW)
        self.finish_if_whole(offer)

    def offer_page(self, peer, fields, _):
        offer = self.upload
        if offer is None or offer["upload"] != fields["upload"] or peer != offer["peer"]:
            return
        assert fields["first"] == len(offer["lengths"]) and 0 < len(fields["lengths"]) <= 4096
        offer["lengths"] += fields["lengths"]
        offer["digests"] += [fields["digests"][at:at + 32]
                             for at in range(0, len(fields["digests"]), 32)]
        self.ask(offer)

    def piece(self, peer, fields, payload):
        offer = self.upload
        if offer is None or offer["upload"] != fields["upload"] or peer != offer["peer"]:
            return
        at = 0
        for i in range(fields["first"], fields["first"] + fields["count"]):
            chunk = payload[at:at + offer["lengths"][i]]
            assert hashlib.sha256(chunk).digest() == offer["digests"][i] and not offer["content"][i]
            offer["content"][i] = chunk
            at += len(chunk)
        offer["taken"] += at
        self.send(peer, "taken", upload=offer["upload"], bytes=offer["taken"])
        self.finish_if_whole(offer)

    def finish_if_whole(self, offer):
        if any(chunk is None for chunk in offer["content"]):
            return
        identity = hashlib.sha256(b"".join(
            digest + struct.pack("<I", length)
            for digest, length in zip(offer["digests"], offer["lengths"]))).digest()
        assert identity == offer["identity"]
        self.store[identity] = b"".join(offer["content"])
        self.send(offer["peer"], "stored", upload=offer["upload"])
        self.upload = None
        self.next_offer()

    def withdraw(self, _peer, fields, _):
        self.offers = [offer for offer in self.offers if offer["upload"] != fields["upload"]]
        if self.upload is not None and self.upload["upload"] == fields["upload"]:
            self.upload = None
            self.next_offer()

    # ---- the loop ----
    def receive(self):
        peer, header, *payload = self.socket.recv_multipart()
        tag, fields = msgpack.unpackb(header, raw=False, strict_map_key=False)
        if tag != "hello" and peer not in self.sessions:
            self.send(peer, "failure", request=tag,
                      what=Speech.message("agent.no_session", "say hello first"))
            return
        handlers = {name: getattr(self, name) for name in (
            "hello", "ping", "goodbye", "inspect", "assign", "cancel", "acknowledge", "release",
            "fetch", "offer", "offer_page", "piece", "withdraw")}
        if tag not in handlers:
            self.send(peer, "failure", request=tag,
                      what=Speech.message("agent.unknown_request", f"no {tag} here"))
            return
        handlers[tag](peer, fields, payload[0] if payload else b"")

    def report(self):
        peers = {campaign: peer for peer, campaign in self.sessions.items()}
        due = time.monotonic() >= self.status_at
        if due:
            self.status_at = time.monotonic() + 2
        for trial in list(self.trials.values()):
            trial.look()
            peer = peers.get(trial.key["campaign"])
            if peer is None:
                continue
            if trial.sent < len(trial.events):
                self.send(peer, "events", key=trial.key, first=trial.sent,
                          events=trial.events[trial.sent:trial.sent + 100])
                trial.sent = min(len(trial.events), trial.sent + 100)
            if due:
                self.status(peer, trial.key, "finished" if trial.has_exited() else "running",
                            len(trial.events))

    def serve(self):
        while True:
            if self.socket.poll(5):
                self.receive()
            self.report()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port")
    parser.add_argument("key")
    parser.add_argument("--version", type=int, default=2)
    parser.add_argument("--oversized", action="store_true")
    agent = Agent(parser.parse_args())
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(SystemExit(0)))
    try:
        agent.serve()
    finally:
        for trial in agent.trials.values():
            trial.remove()
        shutil.rmtree(agent.root, ignore_errors=True)


main()
