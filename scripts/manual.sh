#!/usr/bin/env bash
# Writes manual pages and completion scripts of the five programs, for archives and packages.
#
# usage: manual.sh DIR       DIR must not exist
#
#   DIR/man/NAME.1  DIR/completion/{bash,zsh,fish}/…           with the programs' own names
#   DIR/man-packaged/…  DIR/completion-packaged/…              as snapline-NAME, as packages put them on the PATH
set -euo pipefail

case ${1:-} in
--help)
	sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
'' | -*)
	printf 'manual.sh: the directory to make is needed (try manual.sh --help)\n' >&2
	exit 2
	;;
esac
mkdir "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$bin/" ./cmd/...

# pages PREFIX SUFFIX: everything for programs that are called PREFIX and their name.
pages() {
	local program name
	mkdir -p "$out/man$2" "$out/completion$2"/{bash,zsh,fish}
	for program in fetch filter bound emit verify; do
		name=$1$program
		[[ -e $bin/$name ]] || ln -s "$program" "$bin/$name"
		"$bin/$name" --man >"$out/man$2/$name.1"
		"$bin/$name" --completion bash >"$out/completion$2/bash/$name"
		"$bin/$name" --completion zsh >"$out/completion$2/zsh/_$name"
		"$bin/$name" --completion fish >"$out/completion$2/fish/$name.fish"
	done
}
pages '' ''
pages snapline- -packaged
