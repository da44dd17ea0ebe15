#!/usr/bin/env bash
# The reference harness: one snapshot, one agent run.
#
#   run directory and lock -> pipe -> pre-script -> verify -> agent -> verify ->
#   post-script -> everything removed
#
# The root of trust is the digest that emit printed. It stays in a variable of this
# process, which no pre-script can write, and verify is given that value: files that
# travel with the tree prove nothing.
#
# Text from the forge stays in files. Nothing here evaluates or interpolates it.
set -u

usage() {
	cat <<'TXT'
usage: harness.sh [OPTION]... FETCH-ARGUMENT... -- AGENT [ARGUMENT]...

  --root DIR               where run directories live; default $RUNNER_TEMP,
                           $TMPDIR or /tmp; never inside a Git work tree
  --pre FILE               run before verify; exit 78 skips the agent
  --post FILE              run after the agent, whether it succeeded or failed
  --require LIST           passed to verify gaps, for example comments=complete
  --receipt FILE           keep emit's receipt there, for audits
  --credentials-file FILE  run credentials, one JSON string a line
  --credential-env NAME    a variable that holds a run credential; repeatable
  --human-min-role ROLE    triage or write

Everything from the first other argument up to -- goes to fetch. Agent and scripts
must be there before anything is fetched. They find the tree at $SNAPLINE_CONTEXT;
the post-script also finds the agent's exit status in $SNAPLINE_AGENT_STATUS. An
entity that starts no assembly (exit 5) lets the agent run without a snapshot:
SNAPLINE_CONTEXT is then not set.

exit: the agent's status; 0 when skipped; what stopped the pipe; 1 when verify
refuses the tree, the receipt is a replay's, or what --require asks for is missing;
128 plus the number of the signal that ended the run.
TXT
}

say() { printf 'harness: %s\n' "$1" >&2; }

refuse() {
	say "$1 (try harness.sh --help)"
	exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 4
bin=${SNAPLINE_BIN:-$here/../bin}
root=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
pre='' post='' require='' file=''
names=()
pipe=("$here/pipe.sh")

while (($# > 0)); do
	case $1 in
	--help)
		usage
		exit 0
		;;
	--root | --pre | --post | --require | --receipt | --credentials-file | --credential-env | --human-min-role)
		(($# > 1)) || refuse "$1 needs a value"
		case $1 in
		--root) root=$2 ;;
		--pre) pre=$2 ;;
		--post) post=$2 ;;
		--require) require=$2 ;;
		--credentials-file) file=$2 ;;
		--credential-env) names+=("$2") ;;
		esac
		case $1 in
		--receipt | --credentials-file | --credential-env | --human-min-role) pipe+=("$1" "$2") ;;
		esac
		shift 2
		;;
	*) break ;;
	esac
done
fetch=()
while (($# > 0)) && [[ $1 != -- ]]; do
	fetch+=("$1")
	shift
done
((${#fetch[@]} > 0)) || refuse 'an argument for fetch is missing'
(($# > 1)) || refuse '-- and the agent command are missing'
shift
agent=("$@")
for program in "${agent[0]}" ${pre:+"$pre"} ${post:+"$post"}; do
	command -v -- "$program" >/dev/null || refuse 'the agent or a script cannot be run: name an executable file, for example ./pre.sh'
done
for program in fetch filter bound emit verify; do
	[[ -x $bin/$program ]] || refuse "a program is missing in $bin: build the five (go build -o bin/ ./cmd/...) or set SNAPLINE_BIN"
done

# --- masking -------------------------------------------------------------------

# utf8 prints a code point, whatever the locale is.
utf8() {
	local bytes
	if (($1 < 0x80)); then
		printf -v bytes '\\x%02x' "$1"
	elif (($1 < 0x800)); then
		printf -v bytes '\\x%02x' $((0xc0 | $1 >> 6)) $((0x80 | $1 & 63))
	elif (($1 < 0x10000)); then
		printf -v bytes '\\x%02x' $((0xe0 | $1 >> 12)) $((0x80 | $1 >> 6 & 63)) $((0x80 | $1 & 63))
	else
		printf -v bytes '\\x%02x' $((0xf0 | $1 >> 18)) $((0x80 | $1 >> 12 & 63)) $((0x80 | $1 >> 6 & 63)) $((0x80 | $1 & 63))
	fi
	printf '%b' "$bytes"
}

# json_string prints what a JSON string literal spells.
json_string() {
	local LC_ALL=C rest=${1#\"} text='' char code
	rest=${rest%\"}
	while [[ -n $rest ]]; do
		char=${rest:0:1} rest=${rest:1}
		if [[ $char == \\ ]]; then
			char=${rest:0:1} rest=${rest:1}
			case $char in
			n) char=$'\n' ;;
			r) char=$'\r' ;;
			t) char=$'\t' ;;
			b) char=$'\b' ;;
			f) char=$'\f' ;;
			u)
				code=$((16#${rest:0:4})) rest=${rest:4}
				if (((code & 0xfc00) == 0xd800)) && [[ ${rest:0:2} == '\u' ]]; then
					code=$((0x10000 + ((code & 0x3ff) << 10) + (16#${rest:2:4} & 0x3ff))) rest=${rest:6}
				fi
				char=$(utf8 "$code")
				;;
			esac
		fi
		text+=$char
	done
	printf '%s' "$text"
}

# mask tells GitHub Actions to hide a value, line by line as its log does.
mask() {
	local line
	while IFS= read -r line || [[ -n $line ]]; do
		line=${line%$'\r'}
		line=${line//'%'/%25}
		[[ -z ${line//[[:space:]]/} ]] || printf '::add-mask::%s\n' "$line"
	done <<<"$1"
}

if [[ ${GITHUB_ACTIONS:-} == true ]]; then
	for name in ${names[@]+"${names[@]}"}; do
		mask "${!name:-}"
	done
	if [[ -n $file ]]; then
		while IFS= read -r literal || [[ -n $literal ]]; do
			mask "$(json_string "$literal")"
		done <"$file" || exit 4
	fi
fi

# --- one child at a time, and a clean end in every case ------------------------

run=''

# in_group runs a command in a process group of its own and waits for it. Signals
# reach the trap at once, because wait is interruptible. The lock is not inherited.
in_group() {
	set -m
	"$@" 9>&- &
	set +m
	wait "$!"
}

# end_children ends what still runs: asked first, killed after three seconds.
# shellcheck disable=SC2317 # reached by a trap
end_children() {
	local group
	for group in $(jobs -p); do
		kill -TERM -- "-$group"
		for _ in {1..30}; do
			kill -0 -- "-$group" || break
			sleep 0.1
		done
		kill -KILL -- "-$group"
		wait "$group"
	done
}

# shellcheck disable=SC2317 # reached by a trap
clean_up() {
	trap '' INT TERM HUP
	end_children 2>/dev/null
	if [[ -n $run ]]; then
		rm -rf -- "$run" || say 'the run directory could not be removed'
	fi
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The agent gets no terminal: a background job that reads one would stop.
[[ ! -t 0 ]] || exec </dev/null

# --- the run -------------------------------------------------------------------

if ! command -v flock >/dev/null; then
	say 'flock is needed to hold the run directory (util-linux; Homebrew: flock)'
	exit 4
fi
"$bin/emit" scavenge --root "$root" >/dev/null || exit $?
umask 077
run=$(mktemp -d "$root/snapline-XXXXXXXXXX") || exit 4
exec 9>"$run/lock" || exit 4
# The lock comes first: a directory with the line and without a lock is abandoned.
flock -n 9 || exit 4
printf '%s\n' 'snapline run directory' >&9 || exit 4

in_group "${pipe[@]}" "${fetch[@]}" "$run/context" >"$run/receipt"
status=$?
receipt=$(<"$run/receipt")
rm -f -- "$run/receipt"

if ((status == 5)); then
	say 'this entity starts no assembly; the agent runs without a snapshot'
	unset SNAPLINE_CONTEXT
	in_group "${agent[@]}"
	exit $?
fi
((status == 0)) || exit "$status"

if [[ $receipt == *'"replay":true'* ]]; then
	say 'the receipt is a replayed capture: no agent is started on it'
	exit 1
fi
if [[ ! $receipt =~ \"index_sha256\":\"([0-9a-f]{64})\" ]]; then
	say 'the receipt names no root digest'
	exit 1
fi
digest=${BASH_REMATCH[1]}
readonly receipt digest
export SNAPLINE_CONTEXT=$run/context

if [[ -n $pre ]]; then
	in_group "$pre"
	status=$?
	if ((status == 78)); then
		say 'skipped by the pre-script'
		exit 0
	fi
	((status == 0)) || exit "$status"
fi

in_group "$bin/verify" --index-sha256 "$digest" "$run/context" || exit $?
if [[ -n $require ]]; then
	in_group "$bin/verify" gaps "$run/context" --index-sha256 "$digest" --require "$require" || exit $?
fi

in_group "${agent[@]}"
status=$?

if [[ -n $post ]]; then
	in_group "$bin/verify" --index-sha256 "$digest" "$run/context" || exit $?
	export SNAPLINE_AGENT_STATUS=$status
	in_group "$post" || {
		failed=$?
		((status == 0)) && status=$failed
	}
fi
exit "$status"
