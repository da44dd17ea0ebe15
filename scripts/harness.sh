#!/usr/bin/env bash
# The reference harness: one snapshot, one agent run.
#
#   trial of the agent's place -> pipe -> pre-script -> verified copy -> agent in its place ->
#   host's copy verified -> post-script -> everything removed
#
# The root of trust is the digest that emit printed. It stays in a variable of this process,
# which no pre-script can write; files that travel with the tree prove nothing. The agent
# reads a copy of verified bytes that it cannot alter, in a place without the forge's tokens
# (scripts/harness/place.sh); where no such place can be made nothing starts. No process of
# a step outlives it (verify hold).
#
# Text from the forge stays in files. Nothing here evaluates or interpolates it.
set -u

usage() {
	cat <<'TXT'
usage: harness.sh [OPTION | FETCH-ARGUMENT]... -- AGENT [ARGUMENT]...

  --root DIR               where run directories live; default $RUNNER_TEMP,
                           $TMPDIR or /tmp; never inside a Git work tree
  --pre FILE               run before verification; exit 78 skips the agent
  --post FILE              run after the agent, whether it succeeded or failed
  --require LIST           passed to verify gaps, for example comments=admitted
  --tolerate LIST          passed to verify gaps, for example checks/unsupported
  --receipt FILE           keep emit's receipt there, for audits
  --credentials-file FILE  run credentials, one JSON string a line
  --credential-env NAME    a variable that holds a run credential; repeatable
  --human-min-role ROLE    triage or write
  --sandbox KIND           the agent's place: bwrap, namespace or root; default auto,
                           the first that works
  --agent-user NAME        who the agent is in a place of root's; default: the owner of
                           the work directory, or who called sudo
  --pass-env STEP:NAME     give a withheld variable to a step: pre, agent or post;
                           repeatable
  --allow-unsupported      an address that is no issue or pull request (exit 5) starts
                           the agent without a snapshot

Everything else up to -- goes to fetch. Agent and scripts must be there before anything
is fetched. They find the tree at $SNAPLINE_CONTEXT and its root digest in
$SNAPLINE_INDEX_SHA256; the agent finds what is missing in the file $SNAPLINE_GAPS, the
post-script the agent's exit status in $SNAPLINE_AGENT_STATUS. No step gets a token of a
forge or a run credential, and the agent none of the CI's own: scripts/harness/environment.sh
has the table.

exit: the agent's status; 0 when skipped; what stopped the pipe; 1 when the agent's place
cannot be made, verify refuses the tree, the receipt is a replay's, or what --require asks
for is missing; 128 plus the number of the signal that ended the run.
TXT
}

say() { printf 'harness: %s\n' "$1" >&2; }

refuse() {
	say "$1 (try harness.sh --help)"
	exit 2
}

# needs_value OPTION [VALUE]...: refuses an option whose value is missing or empty.
needs_value() {
	if (($# < 2)) || [[ -z $2 || $2 == -- ]]; then
		refuse "$1 needs a value"
	fi
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 4
# shellcheck source=scripts/harness/environment.sh
source "$here/harness/environment.sh"
# shellcheck source=scripts/harness/mask.sh
source "$here/harness/mask.sh"
bin=${SNAPLINE_BIN:-$here/../bin}
root=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
pre='' post='' file='' receipt_file='' sandbox=auto agent_user='' allow_unsupported=''
declared=() passed=() pipe=() gaps=() fetch=()

while (($# > 0)) && [[ $1 != -- ]]; do
	case $1 in
	--help)
		usage
		exit 0
		;;
	--allow-unsupported)
		allow_unsupported=yes
		shift
		continue
		;;
	--root | --pre | --post | --require | --tolerate | --receipt | --credentials-file | --credential-env | --human-min-role | --sandbox | --agent-user | --pass-env)
		needs_value "$@"
		case $1 in
		--root) root=$2 ;;
		--pre) pre=$2 ;;
		--post) post=$2 ;;
		--require | --tolerate) gaps+=("$1" "$2") ;;
		--receipt) receipt_file=$2 ;;
		--credentials-file) file=$2 ;;
		--credential-env) declared+=("$2") ;;
		--sandbox) sandbox=$2 ;;
		--agent-user) agent_user=$2 ;;
		--pass-env)
			[[ $2 =~ ^(pre|agent|post):[A-Za-z_][A-Za-z0-9_]*$ ]] || refuse '--pass-env takes STEP:NAME with STEP pre, agent or post'
			passed+=("$2")
			;;
		esac
		case $1 in
		--credentials-file | --credential-env | --human-min-role) pipe+=("$1" "$2") ;;
		esac
		shift 2
		;;
	--token-env)
		needs_value "$@"
		declared+=("$2")
		fetch+=("$1" "$2")
		shift 2
		;;
	*)
		[[ $1 != --token-env=* ]] || declared+=("${1#*=}")
		fetch+=("$1")
		shift
		;;
	esac
done
((${#fetch[@]} > 0)) || refuse 'an argument for fetch is missing'
(($# > 1)) || refuse '-- and the agent command are missing'
shift
agent=("$@")
[[ $sandbox =~ ^(auto|bwrap|namespace|root)$ ]] || refuse '--sandbox takes auto, bwrap, namespace or root'
for name in ${declared[@]+"${declared[@]}"}; do
	[[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || refuse '--credential-env and --token-env take the name of a variable'
done
for program in "${agent[0]}" ${pre:+"$pre"} ${post:+"$post"}; do
	command -v -- "$program" >/dev/null || refuse 'the agent or a script cannot be run: name an executable file, for example ./pre.sh'
done
for program in fetch filter bound emit verify; do
	[[ -x $bin/$program ]] || refuse "a program is missing: build the five (go build -o bin/ ./cmd/...) or set SNAPLINE_BIN"
done
bin=$(cd -- "$bin" && pwd -P) || exit 4
root=$(cd -- "$root" 2>/dev/null && pwd -P) || refuse '--root is no directory'
[[ $root != /run && $root != /run/* ]] || refuse '--root lies in /run, which the agent gets anew: name another'
[[ $(uname -s) == Linux ]] || {
	say 'the agent'\''s place needs Linux; on macOS run the harness in a Linux container or virtual machine'
	exit 1
}
for passes in ${passed[@]+"${passed[@]}"}; do
	[[ $passes != agent:* ]] || say "the agent gets ${passes#*:}: what it reads may make it give that away"
done

if [[ ${GITHUB_ACTIONS:-} == true ]]; then
	for name in ${declared[@]+"${declared[@]}"}; do
		mask "${!name:-}"
	done
	if [[ -n $file ]]; then
		while IFS= read -r literal || [[ -n $literal ]]; do
			mask "$(json_string "$literal")"
		done <"$file" || exit 4
	fi
fi

# --- one child at a time, and a clean end in every case ------------------------

run='' copy=''

# in_group runs a command in a process group of its own and waits for it. Signals reach the
# trap at once, because wait is interruptible.
in_group() {
	set -m
	"$@" &
	set +m
	wait "$!"
}

# held STEP COMMAND...: runs a step of somebody else. Nothing of it outlives it, nor this
# process; it gets no variable that is kept from it.
held() {
	local step=$1 name
	local -a drop=()
	shift
	while read -r name; do
		drop+=(-u "$name")
	done < <(kept_from "$step")
	in_group env "${drop[@]}" "$bin/verify" hold --watch "$$" -- ${step_spaces[@]+"${step_spaces[@]}"} "$@"
}

# The processes of root's scripts have a namespace of their own where one can be made: a
# script that kills its own verify hold does not set free what it leaves.
step_spaces=()
# shellcheck disable=SC2016 # the inner shell expands it; it is process 1 there, and no script is
if ((EUID == 0)) && unshare --pid --fork --kill-child --mount-proc --propagation slave true 2>/dev/null; then
	step_spaces=(unshare --pid --fork --kill-child --mount-proc --propagation slave bash -c '"$@"; exit $?' step)
fi

# end_children ends what still runs: asked first, killed after the patience of verify hold.
# shellcheck disable=SC2317 # reached by a trap
end_children() {
	local group
	for group in $(jobs -p); do
		kill -TERM -- "-$group"
		for _ in {1..50}; do
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
	drop_copy
	find_run
	if [[ -n $run ]]; then
		rm -rf -- "$run" || say 'the run directory could not be removed'
	fi
}

# find_run sets run to where the run directory is now: who may write above it can move it.
# Descriptor 7 is the directory.
find_run() {
	[[ -z $run || ! -d /proc/$$/fd/7 ]] || run=$(readlink "/proc/$$/fd/7")
}

# drop_copy removes the agent's copy in a place without mounts; elsewhere it went with them.
drop_copy() {
	[[ -n $copy ]] || return 0
	chmod -R u+w -- "$copy" 2>/dev/null
	rm -rf -- "$copy" || say "the agent's copy could not be removed"
	copy=''
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The agent gets no terminal: a background job that reads one would stop.
[[ ! -t 0 ]] || exec </dev/null

# new_run makes a run directory, locked before it has its line: one with the line and
# without a lock is abandoned. It sets made; the descriptor of the lock is $1.
new_run() {
	local try
	for try in {1..20}; do
		made=$(mktemp -d "$root/snapline-new-XXXXXXXXXX") || return
		if eval "exec $1>\"\$made/lock\"" 2>/dev/null && flock -n "$1" && printf '%s\n' 'snapline run directory' >&"$1"; then
			local final=$root/snapline-${made##*-}
			if [[ ! -e $final ]] && mv -T -- "$made" "$final" 2>/dev/null && [[ $final/lock -ef /proc/self/fd/$1 ]]; then
				made=$final
				return 0
			fi
		fi
	done
	say "no run directory could be made after $try tries"
	return 1
}

# --- the agent's place ---------------------------------------------------------

place_kind='' place_user='' hint=''
enter=()

# the_agent_user sets place_user for a place of root's.
the_agent_user() {
	local name=$agent_user
	if [[ -z $name ]]; then
		if ((EUID == 0)); then
			name=$(stat -c %U .)
		else
			name=$(id -un)
		fi
	fi
	place_user=$(id -u -- "$name" 2>/dev/null):$(id -g -- "$name" 2>/dev/null)
	[[ $place_user =~ ^[0-9]+:[0-9]+$ ]] || refuse '--agent-user names nobody on this machine'
	[[ ${place_user%:*} != 0 ]] || hint='; in a place of root'\''s the agent would be root: name another with --agent-user and give it the work directory (chown -R NAME .)'
	[[ ${place_user%:*} != 0 ]]
}

# A place of root's by sudo: the words that stand before the command.
as_root() {
	if ((EUID == 0)); then
		as_root=()
	else
		command -v sudo >/dev/null && sudo -n true 2>/dev/null || return
		as_root=(sudo -n "$bin/verify" hold --watch "$$" --)
	fi
}

# set_place KIND: how to enter a place of a kind. False where its tools are missing.
set_place() {
	local -a spaces=(unshare --mount --pid --ipc --fork --kill-child)
	place_kind=mounts place_user='' enter=()
	if [[ -n $agent_user && $1 != root ]]; then
		((EUID == 0)) || return
		the_agent_user || return
	fi
	# Only root can take supplementary groups away, and with them what they open.
	if ((EUID != 0)) && [[ $1 == bwrap || $1 == namespace ]] && [[ $(id -G) != "$(id -g)" ]]; then
		hint='; the supplementary groups of this user would stay with its agent, so it takes sudo, or a user of its own group alone'
		return 1
	fi
	case $1 in
	bwrap)
		command -v bwrap >/dev/null || return
		enter=(bwrap --die-with-parent --unshare-pid --unshare-ipc --dev-bind / / --cap-add ALL)
		;;
	namespace)
		command -v unshare >/dev/null || return
		((EUID == 0)) || spaces+=(--user --map-current-user --keep-caps)
		enter=("${spaces[@]}")
		;;
	root)
		as_root || return
		the_agent_user || return
		enter=(${as_root[@]+"${as_root[@]}"} "${spaces[@]}")
		;;
	bare)
		((EUID == 0)) || return
		the_agent_user || return
		place_kind=bare
		;;
	esac
	command -v setpriv >/dev/null
}

# place TREE STARTED COMMAND...: runs a command in the agent's place.
place() {
	local tree=$1 started=$2 hide='' name
	shift 2
	while read -r name; do
		[[ -z $name ]] || hide+=$HOME/$name$'\n'
	done <<<"$hidden_files"
	[[ -z $file ]] || hide+=$(realpath -- "$file")$'\n'
	local -a settings=(
		"PATH=$PATH" PLACE_KIND="$place_kind" PLACE_RUN="$run" PLACE_TREE="$tree" PLACE_DIGEST="${digest:-}" PLACE_USER="$place_user"
		PLACE_COPY="${copy:-$run}/context" PLACE_BIN="$bin" PLACE_ENV="$run/environment" PLACE_STARTED="$started" PLACE_CWD="$PWD" PLACE_HIDE="$hide"
	)
	in_group env -i "PATH=$PATH" "$bin/verify" hold --watch "$$" -- ${enter[@]+"${enter[@]}"} env -i "${settings[@]}" bash "$here/harness/place.sh" "$@"
}

# choose_place finds the first place that works, by running it.
choose_place() {
	local kind
	local -a kinds=("$sandbox")
	case $sandbox in
	auto) kinds=(bwrap namespace root bare) ;;
	root) kinds=(root bare) ;;
	esac
	: >"$run/environment" || exit 4
	for kind in "${kinds[@]}"; do
		set_place "$kind" || continue
		place '' '' true 2>"$run/trial" && return
	done
	[[ ! -s $run/trial ]] || sed -n '1s/[^ -~]/?/gp;1q' "$run/trial" | cut -c 1-200 >&2
	say "no place for the agent can be made here, so nothing is started. It takes one of: bubblewrap or unshare with user namespaces allowed (apt install bubblewrap; sysctl user.max_user_namespaces), root with --agent-user, or sudo without a password$hint"
	exit 1
}

# --- the run -------------------------------------------------------------------

command -v flock >/dev/null || {
	say 'flock is needed to hold the run directory (util-linux)'
	exit 4
}
if credential_in_worktree; then
	say 'the repository here holds a credential in .git/config, which the agent could read: check out with persist-credentials: false'
	exit 1
fi
"$bin/emit" scavenge --root "$root" >/dev/null || exit $?
umask 077
new_run 9 || exit 4
run=$made
exec 7<"$run" || exit 4
choose_place

in_group "$bin/verify" hold --watch "$$" -- "$here/pipe.sh" --receipt "$run/receipt" --print digest ${pipe[@]+"${pipe[@]}"} "${fetch[@]}" "$run/context" >"$run/digest"
status=$?

if ((status == 5)) && [[ -n $allow_unsupported ]]; then
	say 'this entity starts no assembly; the agent runs without a snapshot'
	unset SNAPLINE_CONTEXT SNAPLINE_INDEX_SHA256 SNAPLINE_GAPS
	export XDG_RUNTIME_DIR=/run/user
	environment_of agent >"$run/environment" || exit 4
	place '' '' "${agent[@]}"
	exit $?
fi
((status == 0)) || exit "$status"
read -r digest <"$run/digest"
[[ $digest =~ ^[0-9a-f]{64}$ ]] || {
	say 'emit printed no root digest'
	exit 1
}
readonly digest
if [[ $(<"$run/receipt") == *'"replay":true'* ]]; then
	say 'the receipt is a replayed capture: no agent is started on it'
	exit 1
fi
if [[ -n $receipt_file ]]; then
	[[ ! -e $receipt_file ]] || refuse '--receipt names a file that exists'
	cp -- "$run/receipt" "$receipt_file" || exit 4
fi
export SNAPLINE_CONTEXT=$run/context SNAPLINE_INDEX_SHA256=$digest

if [[ -n $pre ]]; then
	held pre "$pre"
	status=$?
	if ((status == 78)); then
		say 'skipped by the pre-script'
		exit 0
	fi
	((status == 0)) || exit "$status"
fi

in_group "$bin/verify" --index-sha256 "$digest" "$run/context" || exit $?
if ((${#gaps[@]} > 0)); then
	in_group "$bin/verify" gaps "$run/context" --index-sha256 "$digest" "${gaps[@]}" || exit $?
fi

if [[ $place_kind == bare ]]; then
	new_run 10 || exit 4
	copy=$made
	chmod 0755 -- "$copy" || exit 4
fi
export SNAPLINE_CONTEXT=${copy:-$run}/context SNAPLINE_GAPS=${copy:-$run}/gaps.json XDG_RUNTIME_DIR=/run/user
[[ $place_kind == mounts ]] || unset XDG_RUNTIME_DIR
environment_of agent >"$run/environment" || exit 4
place "$run/context" "$run/started" "${agent[@]}"
status=$?
drop_copy
find_run
if [[ ! -s $run/started ]]; then
	say "the agent's place could not be made for this tree: the agent was not started"
	exit 1
fi
unset SNAPLINE_GAPS
export SNAPLINE_CONTEXT=$run/context

if [[ -n $post ]]; then
	in_group "$bin/verify" --index-sha256 "$digest" "$run/context" || exit $?
	export SNAPLINE_AGENT_STATUS=$status
	held post "$post" || {
		failed=$?
		((status == 0)) && status=$failed
	}
fi
exit "$status"
