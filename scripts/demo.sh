#!/usr/bin/env bash
# Builds the five programs and runs the pipe on the recorded demo capture, without a
# network. The tree, the report about it and the diagnostics stay in a new folder, whose
# path is printed with one record, what is missing, and what verify says.
#
# usage: demo.sh [CASE]     a folder of testdata/pipeline; default pull-request
set -u

case ${1:-} in
--help)
	sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
-*)
	printf 'demo.sh: unknown flag (try demo.sh --help)\n' >&2
	exit 2
	;;
esac
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 4
capture=$top/testdata/pipeline/${1:-pull-request}/1-fetch.ndjson.zst
if [[ ! -f $capture ]]; then
	printf 'demo.sh: there is no such case; the cases are the folders of testdata/pipeline\n' >&2
	exit 2
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/demo-of-snapline.XXXXXX") || exit 4
SNAPLINE_BIN=$work/bin
export SNAPLINE_BIN
rubbish=$work
trap 'rm -rf -- "$rubbish"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$SNAPLINE_BIN" || exit 4
(cd "$top" && go build -o "$SNAPLINE_BIN/" ./cmd/...) || exit 4

receipt=$("$top/scripts/pipe.sh" --replay "$capture" "$work/context" 2>"$work/notices.txt")
status=$?
if ((status != 0)); then
	cat "$work/notices.txt" >&2
	exit "$status"
fi
[[ $receipt =~ \"index_sha256\":\"([0-9a-f]{64})\" ]] || exit 3
digest=${BASH_REMATCH[1]}
verify() { "$SNAPLINE_BIN/verify" "$@" --index-sha256 "$digest"; }

verify report "$work/context" --out "$work/report.html" || exit $?
gaps=$(verify gaps "$work/context" | sed -nE 's|^([a-z_]+/[a-z_]+: [0-9]+), [a-z]+:.*|  \1|p') || exit $?
# A record with something redacted, if there is one.
cd "$work/context" || exit 4
record=$(grep -l 'REDACTED-' records/*.md | head -n 1)
[[ -n $record ]] || record=$(echo records/00000000T*.md)

printf 'tree    %s\nreport  %s\n' "$work/context" "$work/report.html"
printf 'notices %s (%d lines)\n' "$work/notices.txt" "$(wc -l <"$work/notices.txt")"
printf 'digest  %s\n\nOne record, as an agent reads it:\n' "$digest"
head -n 6 "$record" | fold -s -w 76 | sed 's/^/  /'
printf '\nWhat is not in the tree:\n%s\n\n' "$gaps"
verify "$work/context" --verbose 2>&1 | sed 's/^verify: //'
status=${PIPESTATUS[0]}
((status == 0)) && rubbish=$SNAPLINE_BIN
exit "$status"
