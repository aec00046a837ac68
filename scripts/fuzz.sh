#!/usr/bin/env bash
# Fuzzes each target for some seconds, and keeps in tests/fuzz/corpus what reaches further. What
# fails is kept in build/fuzz/TARGET, and the script says so:
#   scripts/fuzz.sh [SECONDS each (720)] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-720}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(agent codec target job dispatcher)
status=0
for target in "${targets[@]}"; do
  cmake --build build --target "fuzz_$target"
  corpus=$PWD/tests/fuzz/corpus/$target
  found=$PWD/build/fuzz/$target
  mkdir -p "$found/new" "$corpus"
  build/bin/"fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$found/" \
    "$found/new" "$corpus" "tests/fuzz/seeds_$target" || {
    echo "fuzz_$target failed: its input is in $found" >&2
    status=1
    continue
  }
  rm -rf "$found/minimised"
  mkdir "$found/minimised"
  build/bin/"fuzz_$target" -merge=1 -use_counters=0 "$found/minimised" \
    "tests/fuzz/seeds_$target" "$corpus" "$found/new"
  rm -rf "$corpus"
  mkdir "$corpus"
  for input in "$found/minimised"/*; do
    name=$(basename "$input")
    cp "$input" "$corpus/${name:0:16}"
  done
done
exit "$status"
