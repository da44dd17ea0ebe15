#!/usr/bin/env bash
# The reference pipe: fetch | filter | bound | emit.
#
# The exit status is emit's, and it is the true one without pipefail: a stage that
# stops tells the next ones by an abort line, they forward it and exit with its code,
# and a stage that was killed is noticed by the one behind it. Nothing appears at DIR
# unless the status is 0. The receipt goes to stdout. A stage that refuses its command line
# writes no stream at all; the exit status is 2 then, whatever the next ones say.
set -u

usage() {
	cat <<'TXT'
usage: pipe.sh [OPTION]... FETCH-ARGUMENT... DIR

  --receipt FILE           emit: keep a copy of the receipt, for audits
  --print digest           emit: print the root digest alone instead of the receipt
  --credentials-file FILE  filter: run credentials, one JSON string a line
  --credential-env NAME    filter: a variable that holds one; may be repeated
  --human-min-role ROLE    filter: triage or write
  --explain                filter: byte offsets of every finding on stderr

Everything from the first other argument on goes to fetch, for example a URL, or
--replay FILE; the last argument is where the tree shall appear. SNAPLINE_BIN names
the directory of the five programs; by default it is bin/ beside scripts/.
TXT
}

refuse() {
	printf 'pipe.sh: %s (try pipe.sh --help)\n' "$1" >&2
	exit 2
}

bin=${SNAPLINE_BIN:-$(dirname "${BASH_SOURCE[0]}")/../bin}
fetch=("$bin/fetch")
filter=("$bin/filter")
bound=("$bin/bound")
emit=("$bin/emit")

while (($# > 0)); do
	case $1 in
	--help)
		usage
		exit 0
		;;
	--receipt | --print)
		(($# > 1)) || refuse "$1 needs a value"
		emit+=("$1" "$2")
		shift 2
		;;
	--credentials-file | --credential-env | --human-min-role)
		(($# > 1)) || refuse "$1 needs a value"
		filter+=("$1" "$2")
		shift 2
		;;
	--explain)
		filter+=("$1")
		shift
		;;
	*) break ;;
	esac
done
(($# > 1)) || refuse 'an argument for fetch and the directory of the tree are needed'
while (($# > 1)); do
	fetch+=("$1")
	shift
done
emit+=(--out "$1")
for program in "${fetch[0]}" "${filter[0]}" "${bound[0]}" "${emit[0]}"; do
	[[ -x $program ]] || refuse "a program is missing in $bin: build the five (go build -o bin/ ./cmd/...) or set SNAPLINE_BIN"
done

"${fetch[@]}" | "${filter[@]}" | "${bound[@]}" | "${emit[@]}"
codes=("${PIPESTATUS[@]}")
for code in "${codes[@]}"; do
	((code != 2)) || exit 2 # a command line was refused: the stages behind saw no stream
done
exit "${codes[3]}"
