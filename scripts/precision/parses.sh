#!/usr/bin/env bash
# Tells for each language how many of the modified texts that precision -pairs has written
# parsed before, and which of them do not any more.
#
# usage: parses.sh DIR     wants gofmt, node and python3 with yaml
set -euo pipefail

case ${1:---help} in
--help)
	sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
-*)
	printf 'parses.sh: unknown flag (try parses.sh --help)\n' >&2
	exit 2
	;;
esac

# parses FILE tells whether a file is a text of the language that its suffix names.
parses() {
	case ${1##*.} in
	go) gofmt -e "$1" ;;
	js | mjs | cjs) node --check "$1" ;;
	py) python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$1" ;;
	json) python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" ;;
	yml | yaml) python3 -c 'import sys, yaml; list(yaml.compose_all(open(sys.argv[1])))' "$1" ;;
	toml) python3 -c 'import sys, tomllib; tomllib.load(open(sys.argv[1], "rb"))' "$1" ;;
	esac >/dev/null 2>&1
}

declare -A tried=() broken=()
for before in "$1"/before/*; do
	kind=${before##*.}
	case $kind in
	go | js | mjs | cjs | py | json | yml | yaml | toml) ;;
	*) continue ;;
	esac
	parses "$before" || continue
	tried[$kind]=$((${tried[$kind]:-0} + 1))
	if ! parses "$1/after/${before##*/}"; then
		broken[$kind]=$((${broken[$kind]:-0} + 1))
		printf 'broken: %s\n' "${before##*/}"
	fi
done
printf '\n| language | parsed before | broken |\n|---|--:|--:|\n'
for kind in $(printf '%s\n' "${!tried[@]}" | sort); do
	printf '| %s | %d | %d |\n' "$kind" "${tried[$kind]}" "${broken[$kind]:-0}"
done
