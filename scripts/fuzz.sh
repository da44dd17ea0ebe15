#!/usr/bin/env bash
# Runs every fuzz target for a while, 10 s unless told: scripts/fuzz.sh [DURATION [TARGET]]
# What a target finds lands in its testdata/fuzz, to be mended and committed. Tests run
# the committed inputs only, so that their outcome does not depend on luck.
set -euo pipefail
cd "$(dirname "$0")/.."
duration=${1:-10s} only=${2:-Fuzz}
grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
  sed -nE "s|^func (Fuzz[A-Za-z0-9_]*)\(.*|$(dirname "$file") \1|p" "$file"
done | grep -F "$only" | while read -r package target; do
  go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" -parallel 2 "$package" </dev/null
done
