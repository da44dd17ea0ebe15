#!/usr/bin/env bash
# The whole check, the same on every machine.
#
# usage: check.sh [STEP]...      every step of the core, or those named
#        check.sh long           what takes longer than a change should wait for
#        check.sh --list         the steps
#
# With CI=true in the environment a tool that is missing is installed where the system
# has apt-get, and a step or test that would be skipped for want of one fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"

core=(tools build test generated format vet lint complexity shell race cross nested)
long=(fuzz breakages hostile bench)

tool() { go tool -modfile=scripts/tools/go.mod "$@"; }

# Modules below the root that hold what only tests need.
nested() { git ls-files '*/go.mod' | grep -v '^scripts/tools/' || true; }

# program and package of everything that the tests use beside Go, git and bash.
programs='shellcheck shellcheck
bwrap bubblewrap
setpriv util-linux
chromium chromium
npm npm
python3 python3'

step_tools() {
	local program package missing=()
	while read -r program package; do
		command -v "$program" >/dev/null || missing+=("$package")
	done <<<"$programs"
	((${#missing[@]})) || return 0
	if [[ ${CI:-} != true ]]; then
		printf 'not here, so some tests will be skipped: %s\n' "${missing[*]}"
		return 0
	fi
	command -v apt-get >/dev/null || fail "missing, and there is no apt-get: ${missing[*]}"
	apt-get update -qq >/dev/null
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
}

step_build() { go build ./...; }

# The README's test command, as it stands there.
step_test() {
	local command
	command=$(sed -nE 's/^(go test [^#]*[^# ]) *#.*/\1/p' README.md | head -n 1)
	[[ $command == 'go test ./... '* ]] || fail "README.md names no test command"
	bash -euo pipefail -c "$command"
}

step_generated() {
	local before after
	before=$(state)
	scripts/regen.sh
	after=$(state)
	[[ $before == "$after" ]] || fail "scripts/regen.sh changed files that are committed: $(git status --porcelain | head -n 5 | tr '\n' ' ')"
}

state() { git ls-files -z --cached --others --exclude-standard | xargs -0 sha256sum 2>/dev/null | sha256sum; }

step_format() {
	local unformatted
	unformatted=$(git ls-files '*.go' | xargs go tool -modfile=scripts/tools/go.mod gofumpt -l)
	[[ -z $unformatted ]] || fail "not formatted: $unformatted"
}

step_vet() { go vet ./...; }

step_lint() { tool staticcheck ./...; }

# scripts/tools/complex.txt names the functions that are over the bound. The list only gets
# shorter: a name that no longer belongs there fails too.
step_complexity() {
	local over
	over=$({ tool gocognit -over 30 -ignore '_test' cmd pkg scripts || true; } | awk '{print $2 " " $3}' | sort)
	diff <(grep -v '^#' scripts/tools/complex.txt | sort) <(printf '%s\n' "$over") || fail "scripts/tools/complex.txt is not the list of functions over 30"
}

step_shell() {
	command -v shellcheck >/dev/null || {
		printf 'shellcheck is not here: skipped\n'
		return 0
	}
	git ls-files '*.sh' .ci/run | xargs shellcheck -x
}

# The race detector costs ten times the time; it runs where something runs at once.
step_race() {
	go list -f '{{if .Imports}}{{.Dir}} {{.ImportPath}}{{end}}' ./... | while read -r dir package; do
		if grep -lE '\bgo (func|[a-z][A-Za-z.]*\()|"sync"' "$dir"/*.go 2>/dev/null | grep -q .; then
			printf '%s\n' "$package"
		fi
	done | xargs go test -race -short -timeout 30m
}

step_cross() {
	local target
	for target in linux/arm64 darwin/amd64 darwin/arm64; do
		GOOS=${target%/*} GOARCH=${target#*/} go vet ./cmd/... && printf '%s\n' "$target"
	done
}

step_nested() {
	local module
	for module in $(nested); do
		printf '%s\n' "${module%/go.mod}"
		(cd "${module%/go.mod}" && go vet ./... && go test ./...)
	done
}

step_fuzz() { scripts/fuzz.sh "${FUZZTIME:-60s}"; }

step_breakages() { go run ./scripts/breakages; }

# The tests that attack for minutes: SNAPLINE_LONG=1 gives them their full number of rounds.
step_hostile() { SNAPLINE_LONG=1 go test -count=1 -timeout 60m ./pkg/endtoend/... ./pkg/disk/... ./pkg/forge/...; }

step_bench() { go test -run '^$' -bench . -benchtime 3x ./...; }

fail() {
	printf 'check.sh: %s\n' "$1" >&2
	exit 1
}

run() {
	local begun=$SECONDS
	printf '\n== %s\n' "$1"
	"step_$1"
	table+="$(printf '%-11s %5d s' "$1" $((SECONDS - begun)))"$'\n'
}

steps=("$@")
case ${1:-} in
--help)
	sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
--list)
	printf '%s\n' "${core[@]}" "${long[@]}"
	exit 0
	;;
'') steps=("${core[@]}") ;;
long) steps=("${long[@]}") ;;
esac
for step in "${steps[@]}"; do
	declare -F "step_$step" >/dev/null || {
		printf 'check.sh: no such step (try check.sh --list)\n' >&2
		exit 2
	}
done
table=''
for step in "${steps[@]}"; do run "$step"; done
printf '\n%s' "$table"
