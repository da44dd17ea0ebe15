#!/usr/bin/env bash
# The receipt of one agent's run, bound to the tree that it consumed.
#
# agent-run.sh --statement FILE --id ID --agent NAME --status STATUS --completed TIME
#              --publisher ID [--started TIME] [--commit SHA] [--result RECORD-KEY]...
#
# Prints one line for the file that the next snapshot reads with fetch --agent-runs. The
# run's input_revision is the digest of index.json that the statement is about, and its
# input_head_sha the head that the statement names. STATUS is success, failure, cancelled,
# skipped or timed_out; times are RFC 3339; ID and the publisher's are ids of the forge.
# Check the statement first (verify DIR --statement FILE): this script only reads it.
set -u

refuse() {
	printf 'agent-run.sh: %s (try agent-run.sh --help)\n' "$1" >&2
	exit 2
}

statement='' id='' agent='' status='' completed='' publisher='' started='' commit=''
results=()
while (($# > 0)); do
	case $1 in
	--help)
		sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
		exit 0
		;;
	--statement | --id | --agent | --status | --completed | --publisher | --started | --commit)
		(($# > 1)) || refuse "$1 needs a value"
		printf -v "${1#--}" '%s' "$2"
		;;
	--result)
		(($# > 1)) || refuse "$1 needs a value"
		results+=("$2")
		;;
	*) refuse 'an unknown argument' ;;
	esac
	shift 2
done
for name in statement id agent status completed publisher; do
	[[ -n ${!name} ]] || refuse "--$name is missing"
done
for value in "$id" "$agent" "$status" "$completed" "$publisher" "$started" "$commit" ${results[@]+"${results[@]}"}; do
	[[ $value != *[[:cntrl:]\"\\]* ]] || refuse 'a value has a quote, a backslash or a control character'
done
[[ -f $statement && -r $statement ]] || {
	printf 'agent-run.sh: the statement cannot be read\n' >&2
	exit 4
}

# The line is canonical JSON: the subject stands in one place only.
line=$(<"$statement")
subject=${line##*\"subject\":}
[[ $subject =~ \"digest\":\{\"sha256\":\"([0-9a-f]{64})\"\} ]] || refuse 'the statement names no index.json'
revision=${BASH_REMATCH[1]}
head=''
[[ $subject =~ \"head_sha\":\"([0-9a-f]{40,64})\" ]] && head=${BASH_REMATCH[1]}

sorted=''
if ((${#results[@]} > 0)); then
	sorted=$(printf '"%s"\n' "${results[@]}" | LC_ALL=C sort -u | paste -sd , -)
fi
printf '{"id":"%s","agent":"%s","status":"%s","input_revision":"%s"' "$id" "$agent" "$status" "$revision"
[[ -z $head ]] || printf ',"input_head_sha":"%s"' "$head"
printf ',"result_record_keys":[%s]' "$sorted"
[[ -z $commit ]] || printf ',"resulting_commit_sha":"%s"' "$commit"
[[ -z $started ]] || printf ',"started_at":"%s"' "$started"
printf ',"completed_at":"%s","publisher_id":"%s"}\n' "$completed" "$publisher"
