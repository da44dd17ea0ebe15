#!/usr/bin/env bash
# Codex CLI as the agent of harness.sh: the tree by the read-only server, its own sandbox
# on the work tree, no network, the task on standard input.
#
# usage: harness.sh … URL -- scripts/agents/codex.sh <task
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
verify=${SNAPLINE_BIN:-$here/../../bin}/verify
{
	cat "$here/prompt.txt"
	printf '\nThe task:\n'
	cat
} | codex exec --sandbox workspace-write \
	-c 'sandbox_workspace_write.network_access=false' \
	-c "mcp_servers.snapline.command=\"$verify\"" \
	-c "mcp_servers.snapline.args=[\"mcp\",\"${SNAPLINE_CONTEXT:?}\",\"--index-sha256\",\"${SNAPLINE_INDEX_SHA256:?}\"]" \
	-
