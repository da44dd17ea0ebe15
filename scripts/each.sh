#!/usr/bin/env bash
# Many snapshots: one pipe a row, nothing shared between them but a budget of requests.
#
# each.sh [--done FILE] [--budget N [--window SECONDS] [--state DIR]] <rows
#
# stdin: one flat JSON object of strings a line. url and out are needed, the rest is
# optional:
#   id              name of the row, [A-Za-z0-9._:/@+-]; without it the number of its line.
#                   Stream and receipt call the request so
#   profile         observation or mutation; profile_file a file instead
#   bots, not_after, token_env, token_host     as the options of fetch of those names
#   credential_env  variables that hold credentials of the run, separated by commas
#   require         what verify gaps shall require; a tree that lacks it is removed
# stdout: one line a row, in order, with its id and the exit code of its pipe:
#   {"id":"…","exit":0,"receipt":{…}}    {"id":"…","exit":4,"abort":{…}}
# stderr: the diagnostics of the stages, and at the end a summary.
#
# --done FILE resumes: rows that are done are appended to it, flushed every second. A row that it
# names counts as done only if its tree still verifies; then its line is
# {"id":"…","exit":0,"done":{"index_sha256":"…"}}. What a killed run left at the out of a
# row that it had begun is removed and made again. Several each.sh may share FILE if no
# row is in two manifests.
# --budget N sends at most N requests in a window (3600 seconds) with one token to one
# host, from all each.sh of this user on this machine that share DIR; a row that does not
# fit waits. Across machines the manifests divide the budget.
#
# So it is the body of a parallel or xargs -P line, of a Slurm array, of a Kubernetes
# Indexed Job, of a CI matrix and of a streaming mapper. The exit status is 0 when every
# row is done, 1 when one is not, 2 for a wrong command line.
set -u

refuse() {
	printf 'each.sh: %s (try each.sh --help)\n' "$1" >&2
	exit 2
}

done_file='' budget='' window=3600 state=''
while (($# > 0)); do
	case $1 in
	--help)
		sed -n '2,32s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
		exit 0
		;;
	--done | --budget | --window | --state)
		if (($# < 2)) || [[ -z $2 ]]; then
			refuse "$1 needs a value"
		fi
		;;&
	--done) done_file=$2 ;;
	--budget) budget=$2 ;;
	--window) window=$2 ;;
	--state) state=$2 ;;
	*) refuse 'rows come on stdin; the options are --done, --budget, --window and --state' ;;
	esac
	shift 2
done
[[ -z $budget || $budget =~ ^[1-9][0-9]{0,8}$ && $window =~ ^[1-9][0-9]{0,8}$ ]] || refuse '--budget and --window take numbers from 1 on'
((BASH_VERSINFO[0] > 3)) || refuse 'bash 4 or later is needed'
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 4
programs=${SNAPLINE_BIN:-$here/../bin}

# A value holds no escape: URLs, paths and names need none.
readonly object='^[[:space:]]*\{(.*)\}[[:space:]]*$'
readonly members='id|url|out|profile|profile_file|bots|not_after|token_env|token_host|credential_env|require'
readonly member='^[[:space:]]*"('$members')"[[:space:]]*:[[:space:]]*"([^"\\[:cntrl:]]+)"[[:space:]]*(,|$)'
readonly label='^[A-Za-z0-9._:/@+-]{1,128}$'

# parse sets a variable for each member of one row; it fails on anything else.
parse() {
	local name
	for name in ${members//|/ }; do
		printf -v "$name" ''
	done
	[[ $1 =~ $object ]] || return 1
	local rest=${BASH_REMATCH[1]} value
	while [[ -n $rest ]]; do
		[[ $rest =~ $member ]] || return 1
		name=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]}
		[[ -z ${!name} ]] || return 1
		printf -v "$name" '%s' "$value"
		rest=${rest:${#BASH_REMATCH[0]}}
		[[ ${BASH_REMATCH[3]} != , || -n $rest ]] || return 1
	done
	[[ -n $url && $url != -* && -n $out && $out != -* ]] && [[ -z $id || $id =~ $label ]] && [[ -z $profile || -z $profile_file ]]
}

# aborted gives the abort line of a row whose pipe could not speak for itself: a usage
# error, or a stage that was killed.
aborted() {
	local cause=component
	case $1 in
	2 | 3) cause=input ;;
	4) cause=environment ;;
	5) cause=unsupported ;;
	esac
	printf '{"type":"abort","stage":"each","exit":%d,"cause":"%s"}' "$1" "$cause"
}

# What earlier runs noted, by id: begun OUT, or done OUT DIGEST.
declare -A noted=()
if [[ -n $done_file ]]; then
	(umask 077 && : >>"$done_file") 2>/dev/null || {
		printf 'each.sh: the file of --done cannot be written\n' >&2
		exit 4
	}
	while IFS= read -r entry; do
		[[ $entry =~ ^(begun|done)$'\t'([^$'\t']+)$'\t'(.+)$ ]] && noted[${BASH_REMATCH[2]}]=${BASH_REMATCH[1]}$'\t'${BASH_REMATCH[3]}
	done <"$done_file"
	# A line that was cut off when its writer was killed ends here.
	[[ ! -s $done_file || -z $(tail -c 1 "$done_file") ]] || printf '\n' >>"$done_file"
fi

# note appends a line, which a killed process leaves behind, and flushes the file once a
# second, and at the end, for a machine that stops.
flushed=-1
note() {
	[[ -n $done_file ]] || return 0
	[[ -z ${1:-} ]] || printf '%s\n' "$1" >>"$done_file" || exit 4
	[[ -n ${1:-} && $SECONDS == "$flushed" ]] || { sync -d "$done_file" 2>/dev/null || sync; }
	flushed=$SECONDS
}

# finished reports whether the row was done before and its tree still verifies; a row that
# was only begun leaves nothing of ours at out.
finished() {
	local before=${noted[$id]:-}
	[[ -n $before ]] || return 1
	local kind=${before%%$'\t'*} rest=${before#*$'\t'}
	if [[ $kind == "done" ]]; then
		digest=${rest##*$'\t'}
		[[ ${rest%$'\t'*} == "$out" && $digest =~ ^[0-9a-f]{64}$ ]] && "$programs/verify" "$out" --index-sha256 "$digest" >/dev/null 2>&1 && return 0
		rest=${rest%$'\t'*}
	fi
	[[ $rest == "$out" ]] || return 1
	"$programs/emit" scavenge --root "$(dirname "$out")" 2>/dev/null
	[[ ! -d $out || -L $out ]] || rm -rf -- "$out"
	return 1
}

# take waits until the budget of the row's host and token has room and takes it; give puts
# the difference to what was sent back. A window begins with its first request.
budgeted=''
expected=10
take() {
	[[ -n $budget ]] || return 0
	local host=${url#*://} token
	host=${host%%/*}
	if [[ -n $token_env ]]; then
		token=${!token_env:-}
	else
		token=${GH_TOKEN:-}${GITHUB_TOKEN:-}${GH_ENTERPRISE_TOKEN:-}${GITLAB_TOKEN:-}${FORGEJO_TOKEN:-}
	fi
	budgeted=$state/$(printf '%s\0%s' "$host" "$token" | sha256sum | cut -c 1-32)
	local begin used now wait
	while :; do
		exec 8>>"$budgeted" && flock 8 || exit 4
		read -r begin used <"$budgeted" || begin=0 used=0
		printf -v now '%(%s)T' -1
		((now - begin < window)) || begin=$now used=0
		if ((used == 0 || used + expected <= budget)); then
			printf '%d %d\n' "$begin" "$((used + expected))" >"$budgeted"
			exec 8>&-
			return
		fi
		exec 8>&-
		wait=$((begin + window - now))
		printf 'each.sh: row %s waits %d s for the budget of requests\n' "$id" "$wait" >&2
		sleep "$wait"
	done
}
give() {
	[[ -n $budget ]] || return 0
	local sent=$expected begin used
	[[ $(<"$said") =~ count\ ([0-9]+):\ requests\ sent ]] && sent=${BASH_REMATCH[1]}
	exec 8>>"$budgeted" && flock 8 || exit 4
	read -r begin used <"$budgeted" || begin=0 used=0
	used=$((used + sent - expected))
	printf '%d %d\n' "$begin" "$((used > 0 ? used : 0))" >"$budgeted"
	exec 8>&-
	expected=$((sent > 0 ? sent : 1))
}

scratch=$(mktemp -d) || exit 4
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 4' HUP INT TERM
said=$scratch/said
if [[ -n $budget ]]; then
	state=${state:-${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}}/snapline-budget-$UID}
	(umask 077 && mkdir -p -- "$state")
	if [[ ! -d $state || ! -O $state || -L $state ]]; then
		printf 'each.sh: the directory of --state must be this user'\''s own\n' >&2
		exit 4
	fi
	: >"$said"
fi

# make runs the pipe of one row and sets answer and status.
make() {
	local arguments=() names name
	if [[ -n $credential_env ]]; then
		IFS=, read -r -a names <<<"$credential_env"
		for name in "${names[@]}"; do
			arguments+=(--credential-env "$name")
		done
	fi
	arguments+=("$url" --request-id "$id")
	for name in profile profile_file bots not_after token_env token_host; do
		[[ -z ${!name} ]] || arguments+=("--${name//_/-}" "${!name}")
	done
	if [[ -z $budget ]]; then
		# shellcheck source=scripts/pipe.sh
		answer=$(. "$here/pipe.sh" "${arguments[@]}" "$out" </dev/null)
		status=$?
		return
	fi
	# shellcheck source=scripts/pipe.sh
	answer=$(. "$here/pipe.sh" "${arguments[@]}" --verbose "$out" </dev/null 2>"$said")
	status=$?
	cat "$said" >&2
}

number=0 made=0 kept=0 failed=0
declare -A seen=()
while IFS= read -r row || [[ -n $row ]]; do
	number=$((number + 1))
	if ! parse "$row" || [[ -n ${seen[${id:-$number}]:-} ]]; then
		printf 'each.sh: row %d: one flat object with url and out is expected, and an id that did not come before (try each.sh --help)\n' "$number" >&2
		printf '{"id":"%d","exit":2,"abort":%s}\n' "$number" "$(aborted 2)"
		failed=$((failed + 1))
		continue
	fi
	id=${id:-$number}
	seen[$id]=1 digest=''
	if finished; then
		printf '{"id":"%s","exit":0,"done":{"index_sha256":"%s"}}\n' "$id" "$digest"
		kept=$((kept + 1))
		continue
	fi
	[[ -e $out || -L $out ]] || note "begun"$'\t'"$id"$'\t'"$out"
	take
	make
	give
	if ((status == 0)) && [[ $answer =~ \"index_sha256\":\"([0-9a-f]{64})\" ]]; then
		digest=${BASH_REMATCH[1]}
		if [[ -n $require ]] && ! "$programs/verify" gaps "$out" --index-sha256 "$digest" --require "$require" >/dev/null; then
			status=1 answer=''
			rm -rf -- "$out"
		else
			note "done"$'\t'"$id"$'\t'"$out"$'\t'"$digest"
		fi
	elif ((status == 0)); then
		status=3 answer=''
	fi
	if ((status == 0)); then
		printf '{"id":"%s","exit":0,"receipt":%s}\n' "$id" "$answer"
		made=$((made + 1))
	else
		printf '{"id":"%s","exit":%d,"abort":%s}\n' "$id" "$status" "${answer:-$(aborted "$status")}"
		failed=$((failed + 1))
	fi
done
note
printf 'each.sh: %d rows: %d made, %d were done, %d failed\n' "$number" "$made" "$kept" "$failed" >&2
((failed == 0))
