#!/usr/bin/env bash
# Runs every fuzz target for a while, and what it finds lands in its testdata/fuzz, to be
# mended and committed. Tests run the committed inputs only, so that their outcome does
# not depend on luck.
#
# usage: fuzz.sh [DURATION [TARGET]]     default 10s, and every target whose name has TARGET
set -euo pipefail

case ${1:-} in
--help)
	sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
-*)
	printf 'fuzz.sh: unknown flag (try fuzz.sh --help)\n' >&2
	exit 2
	;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
duration=${1:-10s} only=${2:-Fuzz}
targets=$(grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
	sed -nE "s|^func (Fuzz[A-Za-z0-9_]*)\(.*|$(dirname "$file") \1|p" "$file"
done | grep -F "$only") || {
	printf 'fuzz.sh: no fuzz target has TARGET in its name\n' >&2
	exit 2
}
while read -r package target; do
	# Making a new input smaller costs up to a minute each, which is no fuzzing: streams
	# and documents are long.
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" -fuzzminimizetime 10x -parallel 2 "$package" </dev/null
done <<<"$targets"
