#!/usr/bin/env bash
# Makes the agent's place and runs a command in it. scripts/harness.sh starts it in new
# mount and process namespaces (or as root without them) and with nothing in the
# environment but what it needs; users do not call it.
#
#   PLACE_KIND     mounts: cover what the agent must not reach; bare: a copy that is root's
#   PLACE_RUN      the host's run directory
#   PLACE_TREE     the tree to copy from; empty for a trial and for a run without a snapshot
#   PLACE_DIGEST   its root digest
#   PLACE_COPY     where the agent finds the copy
#   PLACE_USER     uid:gid of the agent; empty: the caller's
#   PLACE_BIN      the directory of the programs
#   PLACE_ENV      a file with the agent's environment, NUL-terminated NAME=value
#   PLACE_STARTED  a file that gets a line when everything holds and the agent starts
#   PLACE_CWD      the agent's work directory
#   PLACE_HIDE     files and directories that the agent must not read, one a line
#
# exit: 1 when anything cannot be enforced, else the command's.
set -u

fail() {
	printf 'harness: the agent'\''s place: %s\n' "$1" >&2
	exit 1
}

# confined is how the agent runs: no capability, none to be had, no groups.
confined=("$(command -v setpriv)" --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all)
if [[ -n $PLACE_USER ]]; then
	confined+=(--reuid "${PLACE_USER%:*}" --regid "${PLACE_USER#*:}" --clear-groups)
elif ((EUID == 0)) && [[ $(</proc/self/setgroups) == allow ]]; then
	confined+=(--clear-groups)
fi
confined+=(--)

# cover hides a path that the agent must not reach.
cover() {
	if [[ -d $1 ]]; then
		mount -t tmpfs -o mode=0755,nosuid,nodev tmpfs "$1"
	elif [[ -e $1 ]]; then
		mount --bind /dev/null "$1"
	fi
}

# prepare_mounts builds the copy in memory that no other process has a path to, then makes
# it read-only and covers the rest.
prepare_mounts() {
	mount --make-rprivate / 2>/dev/null || mount --make-rslave / || return
	mount -t proc -o nosuid,nodev,noexec proc /proc || return
	if [[ -n $PLACE_TREE ]]; then
		# The host's tree is read before its directory is covered.
		mount -t tmpfs -o mode=0755,nosuid,nodev,noexec tmpfs /run || return
		mkdir /run/host /run/place || return
		mount --bind "$PLACE_RUN" /run/host || return
		mount -t tmpfs -o mode=0755,nosuid,nodev,noexec tmpfs /run/place || return
		"$PLACE_BIN/verify" unpack /run/place/context --index-sha256 "$PLACE_DIGEST" --from "/run/host/${PLACE_TREE##*/}" --quiet || return
		"$PLACE_BIN/verify" gaps /run/place/context --index-sha256 "$PLACE_DIGEST" --format json >/run/place/gaps.json || [[ -s /run/place/gaps.json ]] || return
		chmod 0444 /run/place/gaps.json || return
		mount --bind /run/place "$PLACE_RUN" || return
		mount -o remount,bind,ro,nosuid,nodev,noexec "$PLACE_RUN" || return
		umount /run/place || return
		umount /run/host || return
		rmdir /run/host /run/place || return
	else
		mount -t tmpfs -o mode=0755,nosuid,nodev,noexec tmpfs /run || return
		mount -t tmpfs -o mode=0755,nosuid,nodev,noexec,ro tmpfs "$PLACE_RUN" || return
	fi
	mkdir -m 0700 /run/user || return
	if [[ -n $PLACE_USER ]]; then
		chown "$PLACE_USER" /run/user || return
	fi
	[[ ! -d /var/run || -L /var/run ]] || cover /var/run || return
	local path
	while IFS= read -r path; do
		[[ -z $path ]] || cover "$path" || return
	done <<<"$PLACE_HIDE"
}

# prepare_copy is for a place without mounts: the copy is root's, the agent is not.
prepare_copy() {
	((EUID == 0)) || return
	[[ -n $PLACE_USER && ${PLACE_USER%:*} != 0 ]] || return
	[[ -n $PLACE_TREE ]] || return 0
	"$PLACE_BIN/verify" unpack "$PLACE_COPY" --index-sha256 "$PLACE_DIGEST" --from "$PLACE_TREE" --quiet || return
	"$PLACE_BIN/verify" gaps "$PLACE_COPY" --index-sha256 "$PLACE_DIGEST" --format json >"${PLACE_COPY%/*}/gaps.json" || [[ -s ${PLACE_COPY%/*}/gaps.json ]] || return
	chmod 0444 "${PLACE_COPY%/*}/gaps.json"
}

if [[ -n $PLACE_STARTED ]]; then
	exec 8>"$PLACE_STARTED" || fail 'the run directory cannot be written'
fi
# The environment stands in the run directory, which is covered below.
environment=()
while IFS= read -r -d '' entry; do
	environment+=("$entry")
done <"$PLACE_ENV" || fail 'the environment cannot be read'

case $PLACE_KIND in
mounts) prepare_mounts || fail 'a mount that hides the run directory or the tree was refused' ;;
bare)
	prepare_copy || fail 'a copy that belongs to root could not be made'
	while IFS= read -r path; do
		[[ -z $path || -z $("${confined[@]}" "$(command -v find)" "$path" -type f -readable -print -quit 2>/dev/null) ]] || fail 'a file with credentials is readable for the agent and cannot be hidden without mounts: remove it or its read bits'
	done <<<"$PLACE_HIDE"
	;;
*) fail 'no such kind' ;;
esac

if [[ -n $PLACE_TREE ]]; then
	"${confined[@]}" "$PLACE_BIN/verify" sandbox "$PLACE_COPY" >&2 || fail 'the agent could alter its copy'
	"${confined[@]}" "$PLACE_BIN/verify" "$PLACE_COPY" --sandbox --index-sha256 "$PLACE_DIGEST" >&2 || fail 'the copy is not what was verified'
fi
cd -- "$PLACE_CWD" || fail 'the work directory cannot be entered'
if [[ -n $PLACE_STARTED ]]; then
	printf 'started\n' >&8
	exec 8>&-
fi
# Only the agent's own environment from here on.
for name in $(compgen -e); do
	unset "$name" 2>/dev/null || true # a name that bash keeps for itself
done
for entry in ${environment[@]+"${environment[@]}"}; do
	export "${entry?}"
done
exec "${confined[@]}" "$@"
