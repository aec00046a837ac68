#!/usr/bin/env python3
"""Refuses includes against the layers, I/O in pure files, and files that want to be two."""

import pathlib
import re
import subprocess
import sys

# A folder may include itself and what stands here.
MAY_INCLUDE = {
    "common": set(),
    "protocol": {"common"},
    "agent": {"common", "protocol"},
    "coordinator": {"common", "protocol"},
    "pass": set(),
    "samples": set(),
}
# The leaves and loops, which may touch the world. Everything else in the folders above is pure.
MAY_DO_IO = re.compile(
    r"common/os/|"
    r"agent/(main|errands|server\w*|npu_smi(_run)?|device_watch|container_end|foreign_look|gate|execution|trial_runner(_end)?|cann_environment|receiver|store\w*|blob_io|"
    r"layout|partial_file|options|work_directory|box_desk|held_passes|pass_owners|local_trace|device_look|measure_turn|meter_look|plog_limit|plog_look)\.|"
    r"coordinator/(main|session\w*|keygen|connection|compiler|collector|local_agent|preparation|tune|tune_run|run_directory|trial_recorder|"
    r"saved_run|run_leftovers|resume|trial_records|trial_digest|analyze|agents|bundle|hand_over|identity|confirm_run|evaluated_run|"
    r"console|fallback_reasons|inquiry|managed_pass|move_turn|pass_place|build_outputs|causes_on_disk|output_end|commands/(report_command|doctor|pass))\.|"
    r"pass/pass\.|samples/"
)
IO = re.compile(
    r"\bgetenv\(|_clock::now\(|\bstd::time\(|#include <(unistd\.h|fcntl\.h|fstream|sys/\w+\.h|"
    r"zmq\.hpp|filesystem)>|#include \"common/os/(?!tree_ending)"
)
HEAVY = re.compile(r"#include <(zmq\.hpp|msgpack\.hpp|CLI/CLI\.hpp|toml\+\+/toml\.h|nlohmann/json\.hpp)>")
# Shared by the two sources that are made of ZeroMQ, and included by nobody else.
MAY_BE_HEAVY = {"common/os/zmq_pieces.h"}
LINES_MAX = 500
HEADER_LINES_MAX = 250


def problems_of(path: pathlib.Path) -> list[str]:
    found = []
    folder = path.parts[0]
    lines = path.read_text(encoding="utf-8").splitlines()
    limit = HEADER_LINES_MAX if path.suffix == ".h" else LINES_MAX
    if len(lines) > limit and path.as_posix() != "protocol/fields.h":
        found.append(f"{path}: {len(lines)} lines, at most {limit}: is it two files?")
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        include = re.match(r'#include "([a-z_]+)/', line)
        if include and folder in MAY_INCLUDE:
            other = include.group(1)
            if other != folder and other not in MAY_INCLUDE[folder]:
                found.append(f"{where}: {folder}/ may not include {other}/")
        may_be_heavy = path.suffix != ".h" or path.as_posix() in MAY_BE_HEAVY
        if folder in MAY_INCLUDE and not may_be_heavy and HEAVY.search(line):
            found.append(f"{where}: this header stays out of headers")
        if folder in MAY_INCLUDE and not MAY_DO_IO.match(path.as_posix()) and IO.search(line):
            found.append(f"{where}: a pure file touches the world: {line.strip()}")
    return found


def main() -> int:
    names = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.h"], check=True, capture_output=True, text=True
    ).stdout.split()
    problems = [problem for name in names for problem in problems_of(pathlib.Path(name))]
    print("\n".join(problems) if problems else f"{len(names)} files keep to their layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
