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

# gaps prints what is missing in the tree at $1; its status says what the agent's operator
# wants of that, which has been judged before.
gaps() {
	"$PLACE_BIN/verify" gaps "$1" --index-sha256 "$PLACE_DIGEST" --format json
	true
}

# own_run gives the agent an empty /run but for the resolver's file, without which no name
# is found where /etc/resolv.conf leads there.
own_run() {
	local resolver text
	resolver=$(realpath -e /etc/resolv.conf 2>/dev/null)
	[[ $resolver != /run/* ]] || text=$(<"$resolver")
	mount -t tmpfs -o mode=0755,nosuid,nodev,noexec tmpfs /run || return
	[[ $resolver != /run/* ]] || mkdir -p -- "${resolver%/*}" && { [[ $resolver != /run/* ]] || printf '%s\n' "$text" >"$resolver"; }
}

# own_devices gives the agent the devices that programs need, and no disk or memory.
own_devices() {
	local name
	mkdir /run/dev || return
	mount --rbind /dev /run/dev || return
	mount -t tmpfs -o mode=0755,nosuid,noexec tmpfs /dev || return
	for name in null zero full random urandom tty; do
		: >"/dev/$name" && mount --bind "/run/dev/$name" "/dev/$name" || return
	done
	mkdir /dev/pts /dev/shm && chmod 1777 /dev/shm || return
	mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,nosuid,noexec devpts /dev/pts || return
	ln -s pts/ptmx /dev/ptmx && ln -s /proc/self/fd /dev/fd && ln -s fd/0 /dev/stdin && ln -s fd/1 /dev/stdout && ln -s fd/2 /dev/stderr || return
	umount -l /run/dev && rmdir /run/dev
}

# sockets lists those that somebody listens on and that a path leads to: behind each is a
# process that would do for the agent what the agent may not.
sockets() {
	local path
	while read -r _ _ _ _ _ _ _ path; do
		[[ $path != /* || ! -S $path ]] || printf '%s\n' "$path"
	done </proc/net/unix
}

# guard_root is for an agent whose uid is root's: it owns the files of the system and of the
# kernel, and no more is asked of who writes them. Only the work directory, HOME and the
# temporary directories stay writable.
guard_root() {
	local path options kept
	local -a writable=("$PLACE_CWD" /tmp /var/tmp)
	for path in ${environment[@]+"${environment[@]}"}; do
		[[ $path != @(HOME|TMPDIR|RUNNER_TEMP)=/* || ! -d ${path#*=} ]] || writable+=("$(realpath -- "${path#*=}")")
	done
	for path in "${writable[@]}"; do
		[[ ! -d $path || $path == / ]] || mount --rbind -- "$path" "$path" || return
	done
	for path in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/acpi; do
		[[ ! -e $path ]] || mount --bind "$path" "$path" || return
	done
	while read -r _ _ _ _ path options _; do
		printf -v path '%b' "$path"
		for kept in /dev /run "${writable[@]}"; do
			[[ $kept == / || $path != "$kept" && $path != "$kept"/* ]] || continue 2
		done
		# What the mount has else stays: a user namespace may not take it away.
		[[ $path == /proc ]] || mount -o "remount,bind,ro${options#r[ow]}" -- "$path" || return
	done < <(cat /proc/self/mountinfo)
}

# prepare_mounts builds the copy in memory that no other process has a path to, then makes
# it read-only and covers the rest.
prepare_mounts() {
	mount --make-rprivate / 2>/dev/null || mount --make-rslave / || return
	mount -t proc -o nosuid,nodev,noexec proc /proc || return
	if [[ -n $PLACE_TREE ]]; then
		# The host's tree is read before its directory is covered.
		own_run || return
		mkdir /run/host /run/place || return
		mount --bind "$PLACE_RUN" /run/host || return
		exec 8>"/run/host/${PLACE_STARTED##*/}" || return
		mount -t tmpfs -o mode=0755,nosuid,nodev,noexec tmpfs /run/place || return
		"$PLACE_BIN/verify" unpack /run/place/context --index-sha256 "$PLACE_DIGEST" --from "/run/host/${PLACE_TREE##*/}" --quiet || return
		gaps /run/place/context >/run/place/gaps.json || return
		chmod 0444 /run/place/gaps.json || return
		mount --bind /run/place "$PLACE_RUN" || return
		mount -o remount,bind,ro,nosuid,nodev,noexec "$PLACE_RUN" || return
		umount /run/place || return
		umount -l /run/host || return # its descriptor is still open
		rmdir /run/host /run/place || return
	else
		own_run || return
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
	own_devices || return
	while IFS= read -r path; do
		mount --bind /dev/null "$path" || return
	done < <(sockets)
	[[ -n $PLACE_USER ]] || ((EUID != 0)) || guard_root
}

# prepare_copy is for a place without mounts: the copy is root's, the agent is not.
prepare_copy() {
	((EUID == 0)) || return
	[[ -n $PLACE_USER && ${PLACE_USER%:*} != 0 ]] || return
	[[ -n $PLACE_TREE ]] || return 0
	"$PLACE_BIN/verify" unpack "$PLACE_COPY" --index-sha256 "$PLACE_DIGEST" --from "$PLACE_TREE" --quiet || return
	gaps "$PLACE_COPY" >"${PLACE_COPY%/*}/gaps.json" || return
	chmod 0444 "${PLACE_COPY%/*}/gaps.json"
}

# The environment stands in the run directory, which is covered below.
environment=()
while IFS= read -r -d '' entry; do
	environment+=("$entry")
done <"$PLACE_ENV" || fail 'the environment cannot be read'

case $PLACE_KIND in
mounts) prepare_mounts || fail 'a mount that hides the run directory or the tree was refused' ;;
bare)
	[[ -z $PLACE_STARTED ]] || exec 8>"$PLACE_STARTED" || fail 'the run directory cannot be written'
	prepare_copy || fail 'a copy that belongs to root could not be made'
	while IFS= read -r path; do
		[[ -z $path || -z $("${confined[@]}" "$(command -v find)" "$path" -type f -readable -print -quit 2>/dev/null) ]] || fail 'a file with credentials is readable for the agent and cannot be hidden without mounts: remove it or its read bits'
	done <<<"$PLACE_HIDE"
	while IFS= read -r path; do
		! "${confined[@]}" "$(command -v test)" -w "$path" || fail 'a socket of another process is open to the agent and cannot be hidden without mounts'
	done < <(sockets)
	;;
*) fail 'no such kind' ;;
esac

if [[ -n $PLACE_TREE ]]; then
	"${confined[@]}" "$PLACE_BIN/verify" sandbox "$PLACE_COPY" >&2 || fail 'the agent could alter its copy'
	"${confined[@]}" "$PLACE_BIN/verify" "$PLACE_COPY" --sandbox --index-sha256 "$PLACE_DIGEST" >&2 || fail 'the copy is not what was verified'
	# Whoever wrote to it before it was read-only is found.
	gaps "$PLACE_COPY" | cmp -s - "${PLACE_COPY%/*}/gaps.json" || fail 'what is told of gaps is not what was verified'
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
