#!/usr/bin/env bash
# The programs for the action: those in SNAPLINE_BIN if the runner has some, else the
# released archive of SNAPLINE_VERSION. Later steps find them by SNAPLINE_BIN.
set -euo pipefail

if [[ -z ${SNAPLINE_BIN:-} ]]; then
	bash "$(dirname "${BASH_SOURCE[0]}")/../install.sh" "$SNAPLINE_VERSION" "$RUNNER_TEMP/snapline"
	SNAPLINE_BIN=$RUNNER_TEMP/snapline/bin
fi
printf 'SNAPLINE_BIN=%s\n' "$SNAPLINE_BIN" >>"$GITHUB_ENV"
