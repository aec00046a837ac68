"""A client with a key that means no good.

Usage: client.py ENDPOINT AGENT.pub CLIENT.key KIND
  placeholders  a command that would become tens of gigabytes
  device_file   set_env.sh that never ends
  questions     as many as the connection takes
Exits with 0 when the agent answered other people's pings within a second all the while.
"""

import os
import sys
import time

import msgpack
import zmq


def public(path):
    return bytes.fromhex(open(path, encoding="utf-8").read().split()[1])


def pair(path):
    fields = dict(line.split(" ", 1) for line in open(path, encoding="utf-8").read().splitlines()[1:])
    return bytes.fromhex(fields["public"]), bytes.fromhex(fields["secret"])


class Session:
    def __init__(self):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.curve_serverkey = public(sys.argv[2])
        self.socket.curve_publickey, self.socket.curve_secretkey = pair(sys.argv[3])
        self.socket.connect(sys.argv[1])
        self.campaign = os.urandom(16).hex()
        self.send("hello", major=2, minor=0, software="hostile", campaign=self.campaign)
        self.instance = self.receive("welcome")["instance"]

    def send(self, tag, **fields):
        self.socket.send(msgpack.packb([tag, fields], use_bin_type=True))

    def receive(self, *tags, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.socket.poll(100):
                tag, fields = msgpack.unpackb(self.socket.recv_multipart()[0], raw=False,
                                              strict_map_key=False)
                if tag in tags:
                    return dict(fields, tag=tag)
        raise SystemExit(f"no {tags} within {seconds} s")

    def key(self, number):
        return {"campaign": self.campaign, "trial": number, "attempt": 1, "instance": self.instance}


def longest_silence(bystander, seconds):
    """Of the agent towards somebody else, in seconds."""
    longest = 0.0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        asked = time.monotonic()
        bystander.send("ping", sequence=1)
        bystander.receive("pong", seconds=20)
        longest = max(longest, time.monotonic() - asked)
        time.sleep(0.01)
    return longest


def placeholders(session):
    # 60,000 of them in a header of 256 KiB; each would become a path of some 300 bytes.
    name = "n" * 250
    spec = {"command": ["echo", "{files}" * 30000], "files": [{"name": name, "identity": bytes(32)}]}
    session.send("assign", key=session.key(0), spec=spec, events_from=0)
    shell = {"command": ["{om}" * 60000], "shell": True}
    session.send("assign", key=session.key(1), spec=shell, events_from=0)


def device_file(session):
    for number, path in enumerate(("/dev/zero", "/dev/random", "/proc/self/mem")):
        session.send("examine", cann_env=path)
        session.send("assign", key=session.key(number), spec={"command": ["true"], "cann_env": path},
                     events_from=0)
    examined = session.receive("examined")
    assert examined["failure"]["text"], examined


def questions(session):
    for number in range(2000):
        session.send("examine", cann_env=f"/nonexistent/{number}")
        session.send("manage_pass", action="install", cann_env="", hold="", size=2**63, offset=0)


def main():
    session, bystander = Session(), Session()
    globals()[sys.argv[4]](session)
    silence = longest_silence(bystander, 3)
    print(f"longest silence {silence:.3f} s")
    if silence > 1:
        raise SystemExit("another client had to wait")


main()
