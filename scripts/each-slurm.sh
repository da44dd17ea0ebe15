#!/usr/bin/env bash
# each.sh as a Slurm array, on a cluster of one node that this script makes on the loopback.
#
# each-slurm.sh [ROWS [TASKS]]        as root; default: 100 rows, 4 tasks
#
# It needs slurmctld, slurmd, munged and sbatch of the system's packages, starts them with
# a configuration of their own in a scratch directory, submits the array and waits. Task N
# takes the rows whose number is N modulo the number of tasks. On a real cluster only the
# sbatch line is needed, with a manifest and a directory that the nodes share.
set -u
case ${1:-} in
--help)
	sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
*[!0-9]*)
	printf 'each-slurm.sh: the first argument is a number of rows (try each-slurm.sh --help)\n' >&2
	exit 2
	;;
esac
rows=${1:-100} tasks=${2:-4}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 4
real=$(cd "${SNAPLINE_BIN:-$here/../bin}" && pwd) || exit 4
for name in slurmctld slurmd munged sbatch sinfo squeue; do
	command -v "$name" >/dev/null || {
		printf 'each-slurm.sh: %s is missing\n' "$name" >&2
		exit 4
	}
done
work=$(mktemp -d) || exit 4
chmod 0755 "$work"
servers=()
leave() {
	for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf -- "$work"
}
trap leave EXIT
node=$(hostname -s)

mkdir -p "$work/munge" "$work/state" "$work/spool" "$work/bin" "$work/trees"
chmod 0700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 0400 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munge/pid" \
	--log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
servers+=($!)

cat >"$work/slurm.conf" <<TXT
ClusterName=loopback
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmctldPort=27817
SlurmdPort=27818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
TXT
export SLURM_CONF=$work/slurm.conf
for ((try = 0; try < 50; try++)); do
	[[ ! -S $work/munge.socket ]] || break
	sleep 0.1
done
slurmctld -D >"$work/slurmctld.log" 2>&1 &
servers+=($!)
slurmd -D >"$work/slurmd.log" 2>&1 &
servers+=($!)
for ((try = 0; try < 100; try++)); do
	[[ $(sinfo -h -o %T 2>/dev/null) != idle ]] || break
	sleep 0.2
done
[[ $(sinfo -h -o %T 2>/dev/null) == idle ]] || {
	printf 'each-slurm.sh: the node does not come up\n' >&2
	tail -n 5 "$work"/*.log >&2
	exit 4
}

for name in filter bound emit verify; do
	ln -s "$real/$name" "$work/bin/$name"
done
"$real/fetch" --replay "$here/../testdata/pipeline/gitlab-issue/1-fetch.ndjson.zst" >"$work/stream" || exit 4
printf '#!/bin/sh\nexec cat "%s/stream"\n' "$work" >"$work/bin/fetch"
chmod +x "$work/bin/fetch"
for ((n = 0; n < rows; n++)); do
	printf '{"id":"%d","url":"file:///%d","out":"%s/trees/%d"}\n' "$n" "$n" "$work" "$n"
done >"$work/manifest"
cat >"$work/task.sh" <<TXT
#!/usr/bin/env bash
export SNAPLINE_BIN=$work/bin
awk -v n="\$SLURM_ARRAY_TASK_ID" 'NR % $tasks == n' $work/manifest |
	$here/each.sh --done $work/done.\$SLURM_ARRAY_TASK_ID >$work/answers.\$SLURM_ARRAY_TASK_ID
TXT
sbatch --wait --array=0-$((tasks - 1)) --output="$work/task.%a.log" "$work/task.sh" || tail -n 5 "$work"/*.log >&2

cat "$work"/task.*.log
made=$(cat "$work"/answers.* | grep -c '"exit":0,"receipt"')
ids=$(cat "$work"/answers.* | grep -o '^{"id":"[0-9]*"' | sort -u | wc -l)
printf '%d tasks, %d rows, %d receipts, %d trees\n' "$tasks" "$ids" "$made" "$(find "$work/trees" -name index.json | wc -l)"
((ids == rows && made == rows))
