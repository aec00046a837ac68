#!/usr/bin/env bash
# Tests in their long forms, against the programs of a build directory.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/long.sh NAME [BUILD_DIRECTORY]

  resume-sweep    kill -9, EIO, ENOSPC, EDQUOT and EROFS at 2016 file system calls of coordinator
                  and agent, over all kinds of campaigns; each is resumed and compared (about two
                  hours)
  resume-faults   1000 faults at random moments, several in one campaign: kill -9, SIGSTOP, signals,
                  cut connections, disks that fail (about an hour)
  device          who else is on a device, what a trial leaves there, over three rounds (minutes)
  slurm           scripts/slurm/mstune.sh through Debian's own Slurm, by each way to track processes;
                  as root, downloads some 10 MB (about two minutes)
  links           every way a connection can break, at every moment of a campaign, long enough for
                  either side to lose patience (about seven minutes)
  waiting         fleets, turns and uploads whose tests mostly wait (about two minutes)
  hostile         system calls that are refused, one in 1 to 29 of all and each kind by itself, and
                  an agent that never tells an end (about five minutes)

BUILD_DIRECTORY is ./build unless given.
END
}

root=$(realpath "$(dirname "$0")/..")
build=$(realpath -m "${2:-build}")
program=fault_tests
export MSTUNE_TEST_LONG=1
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  resume-sweep) cases='sweep:*' ;;
  resume-faults) cases='points:*' ;;
  device) cases='device:*' ;;
  links) cases='links:*' ;;
  waiting)
    "$build/bin/system_tests" '--test-case=fanout:*,turns:*'
    cases='uploads:*'
    ;;
  hostile) program=system_tests cases='hostile:*' ;;
  slurm)
    exec bash "$root/tests/scripts/slurm_real.sh" "$root" "$build/bin" "$build/cann"
    ;;
  *) usage >&2; exit 2 ;;
esac
exec "$build/bin/$program" "--test-case=$cases"
