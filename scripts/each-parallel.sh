#!/usr/bin/env bash
# each.sh by GNU parallel on two hosts, which are two network namespaces of this machine.
#
# each-parallel.sh [ROWS]        as root; default: 100 rows
#
# What stands for ssh enters the namespace of the host's name; with real hosts leave --ssh
# away. The rows come from one manifest in blocks of 10; each host has a --done file of its
# own, for a file that two machines share is not theirs to lock.
set -u
case ${1:-} in
--help)
	sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
*[!0-9]*)
	printf 'each-parallel.sh: the first argument is a number of rows (try each-parallel.sh --help)\n' >&2
	exit 2
	;;
esac
rows=${1:-100}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 4
real=$(cd "${SNAPLINE_BIN:-$here/../bin}" && pwd) || exit 4
for name in parallel ip; do
	command -v "$name" >/dev/null || {
		printf 'each-parallel.sh: %s is missing\n' "$name" >&2
		exit 4
	}
done
work=$(mktemp -d) || exit 4
hosts=(snapline-a snapline-b)
leave() {
	for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null; done
	rm -rf -- "$work"
}
trap leave EXIT
for host in "${hosts[@]}"; do
	ip netns add "$host" || exit 4
done

mkdir "$work/bin" "$work/trees"
for name in filter bound emit verify; do
	ln -s "$real/$name" "$work/bin/$name"
done
"$real/fetch" --replay "$here/../testdata/pipeline/gitlab-issue/1-fetch.ndjson.zst" >"$work/stream" || exit 4
printf '#!/bin/sh\nip netns identify $$ >>"%s/where"\nexec cat "%s/stream"\n' "$work" "$work" >"$work/bin/fetch"
cat >"$work/ssh" <<'TXT'
#!/bin/sh
[ "$1" != -- ] || shift
host=$1
shift
[ "$1" != -- ] || shift
exec ip netns exec "$host" sh -c "$*"
TXT
chmod +x "$work/bin/fetch" "$work/ssh"

for ((n = 0; n < rows; n++)); do
	printf '{"id":"%d","url":"file:///%d","out":"%s/trees/%d"}\n' "$n" "$n" "$work" "$n"
done | parallel --ssh "$work/ssh" -S "1/${hosts[0]},1/${hosts[1]}" --pipe -N 10 \
	"SNAPLINE_BIN=$work/bin $here/each.sh --done $work/done.\$(ip netns identify \$\$)" >"$work/answers" 2>"$work/stderr"

[[ -s $work/where ]] || tail -5 "$work/stderr" >&2
sort "$work/where" | uniq -c
made=$(grep -c '"exit":0,"receipt"' "$work/answers")
ids=$(grep -o '^{"id":"[0-9]*"' "$work/answers" | sort -u | wc -l)
printf '%d rows, %d receipts, %d trees\n' "$ids" "$made" "$(find "$work/trees" -name index.json | wc -l)"
((ids == rows && made == rows))
