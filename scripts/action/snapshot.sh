#!/usr/bin/env bash
# One snapshot for a job: the pipe, verification, what is missing, outputs and summary.
#
# Every input comes in the environment (SNAPLINE_*), because what stands in an event is
# text of strangers and must not become a part of a script. The exit code is the one of
# the program that stopped.
set -uo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
bin=${SNAPLINE_BIN:?the programs are not installed}

fail() {
	printf 'snapline: %s\n' "$1" >&2
	exit 2
}

[[ -n ${SNAPLINE_URL:-} ]] || fail 'the event is about no issue or pull request: give the input url'

# The token is for the host of the run; fetch refuses it for any other.
case ${GITHUB_SERVER_URL:-https://github.com} in
https://github.com) name=GH_TOKEN ;;
*)
	if [[ -n ${FORGEJO_ACTIONS:-}${GITEA_ACTIONS:-} ]]; then
		name=FORGEJO_TOKEN
		export FORGEJO_SERVER_URL=${FORGEJO_SERVER_URL:-$GITHUB_SERVER_URL}
	else
		name=GH_TOKEN
	fi
	;;
esac
unset GH_TOKEN GITHUB_TOKEN
pipe=()
if [[ -n ${SNAPLINE_TOKEN:-} ]]; then
	export "$name=$SNAPLINE_TOKEN"
	pipe+=(--credential-env "$name")
fi
unset SNAPLINE_TOKEN

run=$(mktemp -d "${RUNNER_TEMP:?}/snapline-XXXXXX") || exit 4
context=$run/context

fetch=("$SNAPLINE_URL" --profile "${SNAPLINE_PROFILE:-observation}")
[[ -z ${SNAPLINE_BOTS:-} ]] || fetch+=(--bots "$SNAPLINE_BOTS")
case ${SNAPLINE_NOT_AFTER:-none} in
none) ;;
*) fetch+=(--not-after "$SNAPLINE_NOT_AFTER" --not-after-undated accept) ;;
esac

# Diagnostics are folded: one line for each object that was dropped or changed.
printf '::group::snapline diagnostics\n'
SNAPLINE_BIN=$bin bash "$here/../pipe.sh" --print digest --receipt "$run/receipt.json" ${pipe[@]+"${pipe[@]}"} "${fetch[@]}" "$context" >"$run/digest"
status=$?
printf '::endgroup::\n'
((status == 0)) || exit "$status"
read -r digest <"$run/digest"

"$bin/verify" "$context" --index-sha256 "$digest" || exit
gaps=(gaps "$context" --index-sha256 "$digest" --require "${SNAPLINE_REQUIRE:-comments=admitted}")
[[ -z ${SNAPLINE_TOLERATE:-} ]] || gaps+=(--tolerate "$SNAPLINE_TOLERATE")
"$bin/verify" "${gaps[@]}" --format json >"$run/gaps.json"
status=$?
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then
	"$bin/verify" report "$context" --index-sha256 "$digest" --format markdown >>"$GITHUB_STEP_SUMMARY" || exit
fi
((status == 0)) || exit "$status"
{
	printf 'context=%s\n' "$context"
	printf 'digest=%s\n' "$digest"
	printf 'gaps=%s\n' "$run/gaps.json"
	printf 'receipt=%s\n' "$run/receipt.json"
} >>"$GITHUB_OUTPUT"
