#!/usr/bin/env bash
# What each.sh costs, and that no row is lost: N rows through W workers with faults.
#
# each-load.sh [ROWS [WORKERS]]        default: 200 rows, 2 workers
#
# The forge is a file: fetch is a script that prints a recorded stream, so that the stages
# and each.sh are measured and no network. Of the rows 5 % have no answer (exit 1), 2 % of
# the fetches are killed in the middle of a stream, and one is refused for a limit (exit
# 4). The manifest is divided among the workers, half of which are killed once on their
# way; then all run again with the same --done files, until the faults are over. It says
# how many rows are done and failed, each counted once, and the throughput beside that of a
# bare loop of pipes. Exit 0: every row was accounted for once.
set -u
case ${1:-} in
--help)
	sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
*[!0-9]*)
	printf 'each-load.sh: the first argument is a number of rows (try each-load.sh --help)\n' >&2
	exit 2
	;;
esac
rows=${1:-200} workers=${2:-2}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 4
real=${SNAPLINE_BIN:-$here/../bin}
work=$(mktemp -d) || exit 4
trap 'rm -rf -- "$work"' EXIT

mkdir "$work/bin" "$work/trees" "$work/bare"
for name in filter bound emit verify; do
	ln -s "$(cd "$real" && pwd)/$name" "$work/bin/$name"
done
"$real/fetch" --replay "$here/../testdata/pipeline/gitlab-issue/1-fetch.ndjson.zst" >"$work/stream" || exit 4
cat >"$work/bin/fetch" <<'TXT'
#!/usr/bin/env bash
# url: file:///NUMBER; --request-id NUMBER
stream=$(dirname "$0")/../stream
abort() {
	printf '{"type":"abort","stage":"fetch","exit":%d,"cause":"%s"}\n' "$1" "$2"
	exit "$1"
}
n=${1##*/}
((n % 20 != 7)) || abort 1 component
if [[ -e $(dirname "$0")/../faults ]]; then
	((n % 50 != 13)) || { head -c 700 "$stream"; kill -KILL $$; }
	((n != 42)) || abort 4 environment
fi
exec cat "$stream"
TXT
chmod +x "$work/bin/fetch"
export SNAPLINE_BIN=$work/bin

now() { date +%s.%N; }
# spent sets cpu to the seconds of processor that ended children have taken so far.
spent() {
	times >"$work/times"
	cpu=$(tail -n 1 "$work/times" | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/); print u[1] * 60 + u[2] + s[1] * 60 + s[2] }')
}
calc() { awk "BEGIN { printf \"%.1f\", $1 }"; }
for ((w = 0; w < workers; w++)); do
	for ((n = w; n < rows; n += workers)); do
		printf '{"id":"%d","url":"file:///%d","out":"%s/trees/%d"}\n' "$n" "$n" "$work" "$n"
	done >"$work/manifest.$w"
done

# run_all starts a worker for each manifest; with an argument every second one is killed
# when it has made some rows.
run_all() {
	local w pids=()
	for ((w = 0; w < workers; w++)); do
		"$here/each.sh" --done "$work/done.$w" <"$work/manifest.$w" >"$work/answers.$w" 2>>"$work/stderr" &
		pids+=($!)
	done
	if [[ ${1:-} == "kill" ]]; then
		for ((w = 0; w < workers; w++)); do : >>"$work/done.$w"; done
		for ((w = 0; w < workers; w += 2)); do
			while kill -0 "${pids[w]}" 2>/dev/null && (($(grep -c ^done "$work/done.$w") < rows / workers / 4)); do
				sleep 0.1
			done
			kill -KILL "${pids[w]}" 2>/dev/null
		done
	fi
	wait
}

: >"$work/faults"
run_all kill
killed=$(cat "$work"/answers.* | wc -l)
rm "$work/faults"
begin=$(now)
run_all
end=$(now)
done=$(cat "$work"/answers.* | grep -c '"exit":0,')
failed=$(cat "$work"/answers.* | grep -c '"abort":')
ids=$(cat "$work"/answers.* | grep -o '^{"id":"[0-9]*"' | sort | uniq | wc -l)
made=$(cat "$work"/answers.* | grep -c '"exit":0,"receipt"')
printf 'first run: %d answers before the last worker ended or was killed\n' "$killed"
printf 'resumed:   %d rows, %d done (%d of them now), %d failed, in %s s\n' "$ids" "$done" "$made" "$failed" "$(calc "$end - $begin")"

# The cost beside a bare loop, on the rows that have an answer.
part=$((rows < 400 ? rows : 400))
bare() {
	local n
	for ((n = $1; n < part; n += workers)); do
		((n % 20 != 7)) || continue
		"$work/bin/fetch" "file:///$n" | "$real/filter" 2>/dev/null | "$real/bound" 2>/dev/null | "$real/emit" --out "$work/bare/$n" >/dev/null
	done
}
begin=$(now)
spent
cpu_begin=$cpu
for ((w = 0; w < workers; w++)); do bare "$w" & done
wait
middle=$(now)
spent
cpu_middle=$cpu
for ((w = 0; w < workers; w++)); do
	for ((n = w; n < part; n += workers)); do
		((n % 20 == 7)) || printf '{"id":"%d","url":"file:///%d","out":"%s/bare/each-%d"}\n' "$n" "$n" "$work" "$n"
	done | "$here/each.sh" --done "$work/cost.$w" >/dev/null 2>&1 &
done
wait
end=$(now)
spent
printf 'bare:      %s snapshots a second; each.sh: %s\n' "$(calc "$part * 0.95 / ($middle - $begin)")" "$(calc "$part * 0.95 / ($end - $middle)")"
printf 'processor: %s ms a snapshot; each.sh: %s, so %s %% of the throughput\n' "$(calc "1000 * ($cpu_middle - $cpu_begin) / $part / 0.95")" \
	"$(calc "1000 * ($cpu - $cpu_middle) / $part / 0.95")" "$(calc "100 * ($cpu_middle - $cpu_begin) / ($cpu - $cpu_middle)")"

expected=$(((rows + 12) / 20))
((ids == rows && done + failed == rows && failed == expected))
