"""Drives an agent as protocol/README.md describes the wire, with nothing of mstune's own code.

Usage: client.py ENDPOINT AGENT.pub CLIENT.key SCENARIO. Prints what came of it and exits with 0
when the agent answered as the page says it does.
"""

import hashlib
import os
import struct
import sys
import time

import msgpack
import zmq

DEADLINE_S = 60
CHUNK = 262144


def read_public(path):
    return bytes.fromhex(open(path).read().split()[1])


def read_secret(path):
    fields = dict(line.split(" ", 1) for line in open(path).read().splitlines()[1:])
    return bytes.fromhex(fields["public"]), bytes.fromhex(fields["secret"])


class Agent:
    def __init__(self, endpoint, server_key, own):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.curve_serverkey = server_key
        self.socket.curve_publickey, self.socket.curve_secretkey = own
        self.socket.connect(endpoint)
        self.uploads = 0

    def send(self, tag, payload=None, **fields):
        frames = [msgpack.packb([tag, fields], use_bin_type=True)]
        self.socket.send_multipart(frames + ([payload] if payload else []))

    def receive(self, *tags):
        """The next report with one of these tags, as (tag, fields, payload)."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            if not self.socket.poll(1000):
                self.send("ping", sequence=1)
                continue
            frames = self.socket.recv_multipart()
            tag, fields = msgpack.unpackb(frames[0], raw=False, strict_map_key=False)
            if tag in tags:
                return tag, fields, frames[1] if len(frames) > 1 else b""
        raise SystemExit(f"no {tags} within {DEADLINE_S} s")

    def hello(self, campaign, major=2, minor=0, **more):
        self.send("hello", major=major, minor=minor, software="client.py", campaign=campaign, **more)
        return self.receive("welcome", "failure")

    def upload(self, content):
        """Sends a file and returns its identity."""
        chunks = [content[i : i + CHUNK] for i in range(0, len(content), CHUNK)]
        digests = [hashlib.sha256(chunk).digest() for chunk in chunks]
        identity = hashlib.sha256(
            b"".join(d + struct.pack("<I", len(c)) for d, c in zip(digests, chunks))
        ).digest()
        self.uploads += 1
        upload = self.uploads
        self.send("offer", upload=upload, identity=identity, size=len(content), chunks=len(chunks))
        tag, fields, _ = self.receive("stored", "list_request", "refused")
        if tag == "stored":
            return identity
        assert tag == "list_request", fields
        self.send("offer_page", upload=upload, first=0, digests=b"".join(digests),
                  lengths=[len(chunk) for chunk in chunks])
        tag, fields, _ = self.receive("need", "refused")
        assert tag == "need", fields
        lacks, window = fields["lacks"], fields["window_bytes"]
        sent = taken = 0
        for i, chunk in enumerate(chunks):
            if not lacks[i // 8] & (1 << i % 8):
                continue
            while sent + len(chunk) - taken > window:
                taken = self.receive("taken")[1]["bytes"]
            self.send("piece", chunk, upload=upload, first=i, count=1)
            sent += len(chunk)
        tag, fields, _ = self.receive("stored", "refused")
        assert tag == "stored", fields
        return identity

    def run(self, key, spec):
        """Runs a trial; returns its events, in order, and releases nothing."""
        self.send("assign", key=key, spec=spec, events_from=0)
        events = []
        while not events or events[-1][0] != "exited":
            tag, fields, _ = self.receive("events", "failure")
            if tag == "failure":
                raise SystemExit(f"refused: {fields['what']['text']}")
            assert fields["key"] == key
            assert fields["first"] <= len(events), "a gap"
            events[fields["first"] :] = fields["events"]
            self.send("acknowledge", key=key, events=len(events))
        return events


def trial(campaign, instance, number=0):
    return {"campaign": campaign, "trial": number, "attempt": 1, "instance": instance}


STEP = (
    'echo "[GE_MS_TUNE][STEP] api=Run mode=cv model_id=1 step=0 start_us=0 end_us=50 cost_us=50 '
    'sync_us=0 ret=0 sync_ret=0"'
)


def scenario_run(agent):
    """hello, upload, run, steps, exit, fetch, release."""
    tag, welcome, _ = agent.hello(os.urandom(16).hex() + "x")
    assert tag == "welcome" and welcome["major"] == 2, welcome
    campaign = os.urandom(16).hex()
    tag, welcome, _ = agent.hello(campaign)
    content = os.urandom(3 * CHUNK + 17)
    identity = agent.upload(content)
    assert agent.upload(content) == identity  # it is there
    key = trial(campaign, welcome["instance"])
    events = agent.run(key, {
        "command": ["/bin/bash", "-c", f'{STEP}; sha256sum < "$0"; exit 3', "{om}"],
        "om": "m.om",
        "files": [{"name": "m.om", "identity": identity}],
    })
    kinds = [kind for kind, _ in events]
    assert kinds[0] == "started" and kinds.count("step") == 1 and kinds[-1] == "exited", kinds
    exited = events[-1][1]
    assert exited["started"] and exited["exit_code"] == 3 and exited["cause"] == "exit", exited
    assert exited["files"][0]["path"] == b"stdout.log" and isinstance(exited["output_tail"], bytes)
    assert exited["facts"]["output_bytes"] > 100 and exited["facts"]["plog_files"] == 0, exited
    step, = (fields for kind, fields in events if kind == "step")
    assert step["source"] == b"stdout.log" and b"cost_us=50" in step["text"], step
    agent.send("fetch", key=key, file=0, offset=0, length=65536)
    _, fields, output = agent.receive("file_data")
    assert fields["end"] and hashlib.sha256(content).hexdigest().encode() in output, output
    agent.send("release", key=key)
    agent.send("assign", key=key, spec={"command": ["true"]}, events_from=0)
    while agent.receive("status")[1]["state"] != "lost":
        pass
    agent.send("goodbye")


def scenario_next_version(agent):
    """A made-up next minor version: fields and tags that this one does not know."""
    campaign = os.urandom(16).hex()
    tag, welcome, _ = agent.hello(campaign, minor=1, mood={"good": [1, None, 2.5]})
    assert tag == "welcome", welcome
    agent.send("dance", steps=5)
    tag, fields, _ = agent.receive("failure")
    assert fields["what"]["id"] == "agent.unknown_request", fields
    key = dict(trial(campaign, welcome["instance"]), colour="blue")
    agent.send("assign", key=key, spec={"command": ["true"], "priority": -5}, events_from=0, why=None)
    while True:
        _, fields, _ = agent.receive("events")
        agent.send("acknowledge", key=key, events=fields["first"] + len(fields["events"]), now=1)
        if fields["events"][-1][0] == "exited":
            assert fields["events"][-1][1]["exit_code"] == 0, fields
            return


def scenario_other_major(agent):
    """Coordinators of before and of tomorrow hear which of the two to upgrade."""
    for versions, identity, who in (
        ({"major": 1}, "agent.coordinator_too_old", "upgrade the coordinator"),
        ({"major": 1, "oldest_major": 1}, "agent.coordinator_too_old", "upgrade the coordinator"),
        ({"major": 3}, "agent.too_old", "upgrade the agent"),
        ({"major": 9, "oldest_major": 3}, "agent.too_old", "upgrade the agent"),
    ):
        tag, fields, _ = agent.hello(os.urandom(16).hex(), **versions)
        assert tag == "failure" and fields["request"] == "hello", (tag, fields)
        assert fields["what"]["id"] == identity and who in fields["what"]["text"], fields
    tag, fields, _ = agent.hello(os.urandom(16).hex(), major=9, oldest_major=1)
    assert tag == "welcome" and fields["major"] == 2, (tag, fields)


def scenario_bytes(agent):
    """Names and output that are no UTF-8 come back byte for byte, in messages that a strict decoder
    reads, and GE's EVENT lines beside the STEP lines."""
    campaign = os.urandom(16).hex()
    _, welcome, _ = agent.hello(campaign)
    key = trial(campaign, welcome["instance"])
    event = "[EVENT] GE(7,p):2026-11-30-10:00:00.000.001 [x.cc:1]7 F: Need rollback to single stream"
    script = (
        f"""cd "$ASCEND_PROCESS_LOG_PATH"; name=$(printf 'pl\\377g.log'); """
        f"""{STEP} > "$name"; echo '{event}' >> "$name"; echo '[EVENT] GE(7,p): other' >> "$name"; """
        f"""printf 'end \\344\\270'"""
    )
    events = agent.run(key, {"command": ["/bin/bash", "-c", script, b"\xff"],
                             "environment": {"NOT_TEXT": b"\xfe"}})
    kinds = [kind for kind, _ in events]
    assert sorted(kinds) == ["event_line", "exited", "started", "step"], events
    fields = dict((kind, fields) for kind, fields in events)
    assert fields["step"]["source"] == b"plog/pl\xffg.log" and fields["step"]["line"] == 1, fields
    assert fields["event_line"]["text"] == event.encode(), fields
    assert fields["event_line"]["line"] == 2
    exited = fields["exited"]
    assert exited["output_tail"] == b"end \xe4\xb8", exited
    assert [file["path"] for file in exited["files"]] == [b"stdout.log", b"plog/pl\xffg.log"], exited
    assert exited["facts"]["plog_files"] == 1 and exited["facts"]["plog_lines"] == 3, exited


def scenario_unknown_keys(agent):
    """What each request gets that is about a trial which is not there."""
    campaign = os.urandom(16).hex()
    _, welcome, _ = agent.hello(campaign)
    spec = {"command": ["true"]}
    there = trial(campaign, welcome["instance"])
    for key, requests in (
        (there, (("assign", {"spec": spec, "events_from": 1}),)),
        (trial(campaign, "another life"), (("assign", {"spec": spec, "events_from": 0}),)),
        (there, (("cancel", {}), ("acknowledge", {"events": 1}), ("release", {}),
                 ("fetch", {"file": 0, "offset": 0, "length": 1}))),
    ):
        for tag, fields in requests:
            agent.send(tag, key=key, **fields)
            _, status, _ = agent.receive("status", "failure", "file_data")
            assert status.get("state") == "lost" and status["key"] == key, (tag, status)
    for more, identity in (({"instances": 2}, "agent.no_instances"), ({"cache": "c"}, "agent.no_cache")):
        assert refusal(agent, there, dict(spec, **more)) == identity
    events = agent.run(there, spec)
    agent.send("fetch", key=there, file=9, offset=0, length=1)
    assert agent.receive("file_data")[1]["failure"]["text"]
    agent.send("acknowledge", key=there, events=len(events) + 5)  # never sent: nothing
    agent.send("release", key=there)
    agent.send("release", key=there)
    while agent.receive("status")[1]["state"] != "lost":
        pass


def scenario_second_connection(agent):
    """The later connection of a campaign takes over; the first one hears that it has no session."""
    campaign = os.urandom(16).hex()
    _, welcome, _ = agent.hello(campaign)
    key = trial(campaign, welcome["instance"])
    agent.send("assign", key=key, spec={"command": ["sleep", "54323"]}, events_from=0)
    agent.receive("events")
    second = Agent(*sys.argv[1:2], read_public(sys.argv[2]), read_secret(sys.argv[3]))
    assert second.hello(campaign)[0] == "welcome"
    agent.send("cancel", key=key, why="late")
    _, fields, _ = agent.receive("failure")
    assert fields["what"]["id"] == "agent.no_session", fields
    # An empty payload is the same as none.
    second.socket.send_multipart([msgpack.packb(["cancel", {"key": key}]), b""])
    while second.receive("events")[1]["events"][-1][0] != "exited":
        pass
    second.send("goodbye")


def scenario_uploads(agent):
    """Pages of 4,096 chunks, offers one after the other, a file that goes on, one of no bytes."""
    campaign = os.urandom(16).hex()
    agent.hello(campaign)
    assert agent.upload(b"") == hashlib.sha256(b"").digest()
    content = os.urandom(64) * 9000
    small = [content[i : i + 100] for i in range(0, len(content), 100)]
    digests = [hashlib.sha256(chunk).digest() for chunk in small]
    identity = hashlib.sha256(
        b"".join(d + struct.pack("<I", len(c)) for d, c in zip(digests, small))).digest()
    first, second = agent.uploads + 1, agent.uploads + 2
    agent.uploads += 2
    agent.send("offer", upload=first, identity=identity, size=len(content), chunks=len(small))
    agent.send("offer", upload=second, identity=bytes(32), size=5, chunks=1)
    for page in range(0, len(small), 4096):
        _, asked, _ = agent.receive("list_request", "refused")
        assert asked["upload"] == first and asked["first"] == page, asked
        part = slice(page, page + 4096)
        agent.send("offer_page", upload=first, first=page, digests=b"".join(digests[part]),
                   lengths=[len(chunk) for chunk in small[part]])
    _, need, _ = agent.receive("need", "refused")
    assert need["upload"] == first and len(need["lacks"]) == (len(small) + 7) // 8
    agent.send("withdraw", upload=first)
    # The second one's turn has come only now.
    _, asked, _ = agent.receive("list_request")
    assert asked["upload"] == second, asked
    agent.send("withdraw", upload=second)
    agent.uploads += 1
    agent.send("offer", upload=agent.uploads, identity=identity, size=len(content), chunks=len(small))
    tag, _, _ = agent.receive("need", "list_request")
    assert tag == "need", tag  # its list is known
    agent.send("offer", upload=agent.uploads, identity=identity, size=5, chunks=1)
    assert agent.receive("refused")  # a number that was used before
    agent.uploads += 1
    agent.send("withdraw", upload=agent.uploads - 1)
    agent.send("offer", upload=agent.uploads, identity=bytes(32), size=5000 * 100, chunks=5000)
    agent.receive("list_request")
    agent.send("offer_page", upload=agent.uploads, first=0, digests=bytes(32) * 4097,
               lengths=[100] * 4097)
    assert agent.receive("refused", "list_request")[0] == "refused"


def scenario_silence(agent):
    """Not authorized: nothing comes, not even the version."""
    agent.send("hello", major=2, minor=0, software="client.py", campaign="0" * 32)
    assert not agent.socket.poll(1500)


def scenario_until_silent(agent):
    """Speaks with the agent until it is not answered any more."""
    agent.hello(os.urandom(16).hex())
    print("welcome", flush=True)
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        agent.send("ping", sequence=1)
        if not agent.socket.poll(1500):
            return
        agent.socket.recv_multipart()
        time.sleep(0.01)
    raise SystemExit(f"still answered after {DEADLINE_S} s")


def scenario_begin(agent):
    """Begins a trial that stays, under a campaign that others can know."""
    tag, welcome, _ = agent.hello("c" * 32)
    key = trial("c" * 32, welcome["instance"])
    agent.send("assign", key=key, spec={"command": ["sleep", "54321"]}, events_from=0)
    agent.receive("events")
    print(welcome["instance"], flush=True)
    sys.stdin.read()


def scenario_forget(agent):
    """Never releases a trial, and says no more than that it is there: the next one begins."""
    campaign = os.urandom(16).hex()
    _, welcome, _ = agent.hello(campaign)
    agent.run(trial(campaign, welcome["instance"]), {"command": ["true"]})
    ended = time.monotonic()
    second = trial(campaign, welcome["instance"], 1)
    agent.send("assign", key=second, spec={"command": ["true"]}, events_from=0)
    _, status, _ = agent.receive("status")
    assert status["state"] == "queued", status
    while agent.receive("status", "events")[0] == "status":
        agent.send("ping", sequence=1)
    assert time.monotonic() - ended > 0.5, "the grace time was not waited for"


def scenario_hold(agent):
    """Has the pass held, and says no more than that it is there."""
    agent.hello(os.urandom(16).hex())
    library = open(os.environ["LIBRARY"], "rb").read()
    agent.send("manage_pass", library, action="hold", hold="nobody's", size=len(library), offset=0,
               cann_env="")
    _, managed, _ = agent.receive("pass_managed")
    print("held" if not managed["failure"]["text"] else managed, flush=True)
    while True:
        agent.send("ping", sequence=1)
        time.sleep(0.2)


def scenario_wait(agent):
    """Waits behind the trial of scenario_begin, and hears who has the device."""
    campaign = os.urandom(16).hex()
    _, welcome, _ = agent.hello(campaign)
    agent.send("inspect", sequence=5)
    _, condition, _ = agent.receive("condition")
    device, = condition["devices"]
    assert device["holder"] == "ann" and device["device"] == -1 and device["state"] == "busy", device
    key = trial(campaign, welcome["instance"])
    agent.send("assign", key=key, spec={"command": ["true"]}, events_from=0)
    _, status, _ = agent.receive("status")
    assert status["state"] == "queued" and status["held_by"] == "ann", status
    assert status["waits_for"] == "device", status
    _, fields, _ = agent.receive("events")
    exited = fields["events"][-1][1]
    assert exited["cause"] == "wait_timeout" and not exited["started"], exited
    assert exited["detail"]["id"] == "agent.waited_too_long", exited


def refusal(agent, key, spec):
    """The id of the message with which a trial is refused, however late."""
    agent.send("assign", key=key, spec=spec, events_from=0)
    kind = None
    while kind != "exited":
        tag, fields, _ = agent.receive("failure", "events")
        if tag == "failure":
            return fields["what"]["id"]
        kind, exited = fields["events"][-1]
    agent.send("acknowledge", key=key, events=fields["first"] + len(fields["events"]))
    agent.send("release", key=key)
    return exited["detail"]["id"] if exited["cause"] == "not_started" else exited["exit_code"]


def scenario_rules(agent):
    """agent.conf of the test: allow = /usr/bin/env*, largest-file = 1KB."""
    campaign = os.urandom(16).hex()
    _, welcome, _ = agent.hello(campaign)
    numbers = iter(range(100))

    def result(**spec):
        return refusal(agent, trial(campaign, welcome["instance"], next(numbers)), spec)

    assert result(command=["env"]) == 0
    assert result(command=["sleep", "0"]) == "policy.program_not_allowed"
    assert result(command=["/usr/bin/../bin/sleep", "0"]) == "policy.program_not_allowed"
    assert result(command=["env"], cann_env="/etc/profile") == "policy.program_not_allowed"
    assert result(command=["env"], shell=True) == "policy.no_shell"
    assert result(command=["env"], environment={"LD_PRELOAD": "/x"}) == "policy.variable_denied"
    assert result(command=["env"], environment={"PATH": "/x"}) == "policy.variable_not_allowed"
    assert result(command=["env"], environment={"OMP_NUM_THREADS": "2"}) == 0
    assert result(command=["env"], working_directory="/") == "policy.no_working_directory"
    assert result(command=["no-such-program"]) == "agent.no_such_program"
    agent.send("offer", upload=1, identity=bytes(32), size=1025, chunks=1)
    _, fields, _ = agent.receive("refused")
    assert fields["why"]["id"] == "policy.file_too_large", fields


def scenario_meddle(agent):
    """Another client with the same campaign, then with its own, at the first one's trial."""
    tag, fields, _ = agent.hello("c" * 32)
    assert tag == "failure" and fields["what"]["id"] == "agent.campaign_of_another", (tag, fields)
    tag, welcome, _ = agent.hello("d" * 32)
    assert tag == "welcome"
    key = trial("c" * 32, welcome["instance"])
    for tag, fields in (
        ("cancel", {"why": "spite"}),
        ("fetch", {"file": 0, "offset": 0, "length": 10}),
        ("acknowledge", {"events": 1}),
        ("release", {}),
        ("assign", {"spec": {"command": ["true"]}, "events_from": 0}),
    ):
        agent.send(tag, key=key, **fields)
        _, status, _ = agent.receive("status", "events", "file_data")
        assert status.get("state") == "lost", status


def scenario_nonsense(agent):
    """Messages that are wrong in every way are answered, and the agent lives on."""
    campaign = os.urandom(16).hex()
    _, welcome, _ = agent.hello(campaign)
    key = trial(campaign, welcome["instance"])
    agent.send("assign", key=key, spec={"command": ["sleep", "54322"]}, events_from=0)
    agent.receive("events")
    for frame in (b"", b"\xc1", b"\x92", b"\xdd\xff\xff\xff\xff", msgpack.packb(["ping", {"sequence": -1}]),
                  msgpack.packb(["assign", {"key": 5}]), msgpack.packb([["ping"], {}])):
        agent.socket.send(frame)
        agent.receive("failure")
    agent.send("assign", key=dict(key, trial=1), events_from=0,
               spec={"command": ["true"], "files": [{"name": "../x", "identity": b"short"}]})
    agent.receive("failure")
    agent.send("acknowledge", key=key, events=2**63)
    agent.send("fetch", key=key, file=7, offset=2**63, length=2**32 - 1)
    assert agent.receive("file_data")[1]["failure"]["text"]
    agent.send("offer", upload=9, identity=bytes(32), size=2**63, chunks=2**62)
    assert agent.receive("refused")
    agent.send("piece", b"x" * 1000, upload=77, first=0, count=2**60)
    agent.socket.send(b"x" * (4 << 20))  # beyond the frame limit: the connection closes
    again = Agent(*sys.argv[1:2], read_public(sys.argv[2]), read_secret(sys.argv[3]))
    assert again.hello(campaign)[0] == "welcome"
    again.send("cancel", key=key, why="done")
    _, fields, _ = again.receive("events")
    again.send("goodbye")


def main():
    endpoint, public, secret, scenario = sys.argv[1:]
    agent = Agent(endpoint, read_public(public), read_secret(secret))
    globals()["scenario_" + scenario](agent)
    print("ok")
    # Nothing that was said last may be lost with the socket.
    agent.socket.close(linger=1000)


main()
