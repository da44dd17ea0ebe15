#!/usr/bin/env bash
# Many snapshots: one pipe a request, nothing shared between them.
#
# stdin: NDJSON requests, one flat object of strings a line:
#   {"url":"https://…","out":"DIR"}   and, optional, "profile":"observation"|"mutation"
# stdout: for each request one line, in order: emit's receipt, or the abort line of
# the stage that stopped, with the exit code of the pipe; where no stage could write
# one, for a wrong request or a killed program, that of a stage "each".
# stderr: the diagnostics of the stages.
#
# So it is the body of an xargs -P line, of a Kubernetes Indexed Job, of a CI matrix
# and of a streaming mapper. The exit status is 0 when every request gave a receipt,
# 1 when one did not, 2 for a wrong command line.
set -u

if (($# > 0)); then
	if [[ $1 == --help ]]; then
		sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
		exit 0
	fi
	printf 'each.sh: no argument is expected; requests come on stdin (try each.sh --help)\n' >&2
	exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 4

# A value holds no escape: URLs, paths and profile names need none.
readonly object='^[[:space:]]*\{(.*)\}[[:space:]]*$'
readonly member='^[[:space:]]*"(url|out|profile)"[[:space:]]*:[[:space:]]*"([^"\\[:cntrl:]]+)"[[:space:]]*(,|$)'

# parse sets url, out and profile from one request; it fails on anything else.
parse() {
	url='' out='' profile=''
	[[ $1 =~ $object ]] || return 1
	local rest=${BASH_REMATCH[1]}
	while [[ -n $rest ]]; do
		[[ $rest =~ $member ]] || return 1
		local name=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]}
		[[ -z ${!name} ]] || return 1
		printf -v "$name" '%s' "$value"
		rest=${rest:${#BASH_REMATCH[0]}}
		[[ ${BASH_REMATCH[3]} != , || -n $rest ]] || return 1
	done
	[[ -n $url && $url != -* && -n $out ]]
}

# aborted prints the line of a request whose pipe could not speak for itself: a usage
# error, or a stage that was killed.
aborted() {
	local cause=component
	case $1 in
	2 | 3) cause=input ;;
	4) cause=environment ;;
	5) cause=unsupported ;;
	esac
	printf '{"type":"abort","stage":"each","exit":%d,"cause":"%s"}\n' "$1" "$cause"
}

number=0 failed=0
while IFS= read -r request || [[ -n $request ]]; do
	number=$((number + 1))
	if ! parse "$request"; then
		printf 'each.sh: request %d: one flat object with url, out and, optional, profile is expected (try each.sh --help)\n' "$number" >&2
		aborted 2
		failed=1
		continue
	fi
	answer=$("$here/pipe.sh" "$url" ${profile:+--profile "$profile"} "$out" </dev/null)
	status=$?
	((status == 0)) || failed=1
	if [[ -n $answer ]]; then
		printf '%s\n' "$answer"
	else
		aborted "$status"
	fi
done
exit "$failed"
