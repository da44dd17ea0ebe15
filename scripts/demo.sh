#!/usr/bin/env bash
# Builds the five programs and runs the pipe on the recorded demo capture, without a
# network: the tree, what is missing from it, what was changed and why, the root
# digest, and what verify says.
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

work=$(mktemp -d) || exit 4
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

title() { printf '\n== %s\n' "$1"; }

title 'building'
SNAPLINE_BIN=$work/bin
export SNAPLINE_BIN
mkdir "$SNAPLINE_BIN" || exit 4
(cd "$top" && go build -o "$SNAPLINE_BIN/" ./cmd/...) || exit 4

title 'fetch | filter | bound | emit'
receipt=$("$top/scripts/pipe.sh" --replay "$capture" "$work/context" 2>"$work/notices")
status=$?
if ((status != 0)); then
	cat "$work/notices" >&2
	exit "$status"
fi
printf '%s\n' "$receipt"

[[ $receipt =~ \"index_sha256\":\"([0-9a-f]{64})\" ]] || exit 3
digest=${BASH_REMATCH[1]}

title 'the tree'
(cd "$work/context" && find . -type f | LC_ALL=C sort | xargs wc -c)

title 'what is missing'
"$SNAPLINE_BIN/verify" gaps "$work/context" --index-sha256 "$digest" || exit $?

title 'what was changed, dropped or cut, and why (the diagnostics on stderr)'
cat "$work/notices"

title 'the root digest, from the receipt'
printf '%s\n' "$digest"

title 'verify --index-sha256 DIGEST context'
"$SNAPLINE_BIN/verify" --index-sha256 "$digest" "$work/context"
status=$?
if ((status == 0)); then
	printf 'verified: every byte answers to that digest\n'
fi
exit "$status"
