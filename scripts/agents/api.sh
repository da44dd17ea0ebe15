#!/usr/bin/env bash
# One call of the Messages API with the timeline as content blocks, the task on standard
# input. The key stays out of the command line: curl reads the header from a descriptor.
#
# usage: harness.sh --pass-env agent:ANTHROPIC_API_KEY … URL -- scripts/agents/api.sh MODEL <task
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
verify=${SNAPLINE_BIN:-$here/../../bin}/verify
model=${1:?the name of a model is needed}
endpoint=${ANTHROPIC_BASE_URL:-https://api.anthropic.com}/v1/messages
message=$("$verify" blocks "${SNAPLINE_CONTEXT:?}" --index-sha256 "${SNAPLINE_INDEX_SHA256:?}" --format anthropic)
task=$(cat)
jq -n --arg model "$model" --rawfile system "$here/prompt.txt" --arg task "$task" --argjson message "$message" \
	'{model: $model, max_tokens: 4096, system: ($system + "\nThe task:\n" + $task), messages: [$message]}' |
	curl -fsS --proto '=https,http' -H 'content-type: application/json' -H 'anthropic-version: 2023-06-01' \
		-H @<(printf 'x-api-key: %s\n' "${ANTHROPIC_API_KEY:?}") --data-binary @- "$endpoint"
