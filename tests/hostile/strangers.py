"""Strangers at an agent's door: connections without a key, as many as somebody likes.

Usage: strangers.py HOST PORT PID COUNT KIND
  idle    COUNT connections that say nothing, held until the program is ended
  frames  COUNT connections, each in the middle of a handshake frame as large as the agent takes;
          prints by how many bytes its memory (VmRSS) grew at the most
Prints "ready" when all are there.
"""

import resource
import signal
import socket
import struct
import sys
import time

# ZMTP 3.1: signature, version, mechanism, not a server, filler.
GREETING = b"\xff" + bytes(8) + b"\x7f" + bytes([3, 1]) + b"CURVE".ljust(20, b"\0") + bytes(32)
FRAME = 260 * 1024
COMMAND_LONG = 6


def resident(pid):
    for line in open(f"/proc/{pid}/status", encoding="ascii"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("the agent is gone")


def connect(host, port):
    for _ in range(50):
        try:
            connection = socket.create_connection((host, port), timeout=5)
            connection.setblocking(False)
            return connection
        except OSError:
            time.sleep(0.02)
    return None


class Crowd:
    """Strangers in the middle of a handshake: of each one's frame comes everything but the end."""

    def __init__(self, pid):
        self.pid, self.first = pid, resident(pid)
        self.most, self.left = self.first, {}

    def add(self, connection):
        frame = (GREETING + bytes([COMMAND_LONG]) + struct.pack(">Q", FRAME) + b"\x05HELLO"
                 + bytes(FRAME - 7))
        self.left[connection] = memoryview(frame)
        self.push()

    def push(self):
        for connection, rest in list(self.left.items()):
            try:
                self.left[connection] = rest[connection.send(rest):]
            except BlockingIOError:
                pass
            except OSError:
                self.left[connection] = b""  # the agent closed it
            if not self.left[connection]:
                del self.left[connection]

    def settle(self):
        """Until the agent's memory grows no more."""
        end = time.monotonic() + 10
        grown_at = time.monotonic()
        while time.monotonic() < min(grown_at + 1, end):
            self.push()
            now = resident(self.pid)
            if now > self.most:
                self.most, grown_at = now, time.monotonic()
            time.sleep(0.01)
        return self.most - self.first


def main():
    host, port, pid, count, kind = sys.argv[1:]
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    crowd = Crowd(pid)
    connections = []
    for _ in range(int(count)):
        connections.append(connect(host, int(port)))
        if kind == "frames" and connections[-1] is not None:
            crowd.add(connections[-1])
    if kind == "frames":
        print("grew", crowd.settle())
    print("ready", flush=True)
    signal.pause()


main()
