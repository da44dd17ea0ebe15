# shellcheck shell=bash
# What the steps of a run do not get (HAR-04); harness.sh reads it. One table: a name, and
# the steps that it is kept from. all: pre-script, agent and post-script.

withheld='
GH_TOKEN all
GITHUB_TOKEN all
GH_ENTERPRISE_TOKEN all
GITHUB_ENTERPRISE_TOKEN all
GITLAB_TOKEN all
FORGEJO_TOKEN all
GITEA_TOKEN all
SNAPLINE_TOKEN all
CI_JOB_TOKEN agent
CI_JOB_JWT agent
CI_JOB_JWT_V1 agent
CI_JOB_JWT_V2 agent
CI_REPOSITORY_URL agent
CI_REGISTRY_PASSWORD agent
CI_DEPLOY_PASSWORD agent
CI_DEPENDENCY_PROXY_PASSWORD agent
ACTIONS_RUNTIME_TOKEN agent
ACTIONS_RUNTIME_URL agent
ACTIONS_RESULTS_URL agent
ACTIONS_CACHE_URL agent
ACTIONS_ID_TOKEN_REQUEST_TOKEN agent
ACTIONS_ID_TOKEN_REQUEST_URL agent
GITHUB_ENV agent
GITHUB_PATH agent
GITHUB_OUTPUT agent
GITHUB_STATE agent
GITHUB_STEP_SUMMARY agent
DOCKER_HOST agent
CONTAINER_HOST agent
DBUS_SESSION_BUS_ADDRESS agent
DBUS_SYSTEM_BUS_ADDRESS agent
SSH_AUTH_SOCK agent
GPG_AGENT_INFO agent
XDG_RUNTIME_DIR agent
'

# Files below HOME that hold a forge's token and that the agent does not see.
# shellcheck disable=SC2034 # harness.sh reads it
hidden_files='
.config/gh
.config/glab-cli
.config/tea
.netrc
.git-credentials
.config/git/credentials
'

# kept_from STEP: the names that a step does not get, one a line. The variables of fetch's
# --token-env and of --credential-env are in the array declared, those that the operator
# passes on as STEP:NAME in the array passed.
kept_from() {
	local name steps
	{
		while read -r name steps; do
			[[ -z $name || $steps != all && $steps != "$1" ]] || printf '%s\n' "$name"
		done <<<"$withheld"
		# shellcheck disable=SC2154 # harness.sh declares both arrays
		for name in ${declared[@]+"${declared[@]}"}; do
			printf '%s\n' "$name"
		done
	} | while read -r name; do
		# shellcheck disable=SC2154
		for kept in ${passed[@]+"${passed[@]}"}; do
			[[ $kept != "$1:$name" ]] || continue 2
		done
		printf '%s\n' "$name"
	done
}

# environment_of STEP: what is left of the environment, NUL-terminated, names that a shell
# can export alone.
environment_of() {
	local entry name kept
	kept=" $(kept_from "$1" | tr '\n' ' ')"
	env -0 | while IFS= read -r -d '' entry; do
		name=${entry%%=*}
		[[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ && $kept != *" $name "* ]] || continue
		printf '%s\0' "$entry"
	done
}

# credential_in_worktree: whether the repository of the work directory holds a credential
# that every process in it can read.
credential_in_worktree() {
	local config
	config=$(git rev-parse --git-path config 2>/dev/null) || return 1
	[[ -r $config ]] || return 1
	grep -Eqi '^[[:space:]]*extraheader[[:space:]]*=|://[^/[:space:]@]+:[^/[:space:]@]+@|://(gh[a-z]_|github_pat_|glpat-|x-access-token)[^/[:space:]]*@' "$config"
}
