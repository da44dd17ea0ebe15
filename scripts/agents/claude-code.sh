#!/usr/bin/env bash
# Claude Code as the agent of harness.sh: the tree by the read-only server, no shell, no
# network tools, the task on standard input.
#
# usage: harness.sh … URL -- scripts/agents/claude-code.sh <task
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
verify=${SNAPLINE_BIN:-$here/../../bin}/verify
config=$(mktemp)
trap 'rm -f "$config"' EXIT
printf '{"mcpServers":{"snapline":{"command":"%s","args":["mcp","%s","--index-sha256","%s"]}}}' \
	"$verify" "${SNAPLINE_CONTEXT:?}" "${SNAPLINE_INDEX_SHA256:?}" >"$config"
claude --print --append-system-prompt "$(<"$here/prompt.txt")" --strict-mcp-config --mcp-config "$config" \
	--allowedTools 'mcp__snapline,Read,Grep,Glob,Edit,Write' --disallowedTools 'Bash,WebFetch,WebSearch'
