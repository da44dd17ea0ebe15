package gitlab

import (
	"snapline/pkg/contract"
	"snapline/pkg/forge"
)

const suffix = "/api/v4"

// facts are what addresses and tokens have to know of GitLab.
var facts = forge.Facts{
	Forge:  contract.GitLab,
	Hosts:  []string{"gitlab.com"},
	Suffix: suffix,
	Words: []forge.Word{
		{Text: "issues", Kind: contract.WorkItem, Skip: "incident"},
		{Text: "work_items", Kind: contract.WorkItem},
		{Text: "merge_requests", Kind: contract.ChangeProposal},
	},
	Separator:  "-",
	Collection: "projects",
	APIWords: []forge.Word{
		{Text: "issues", Kind: contract.WorkItem},
		{Text: "merge_requests", Kind: contract.ChangeProposal},
	},
	Marks:  []forge.Word{{Text: "#", Kind: contract.WorkItem}, {Text: "!", Kind: contract.ChangeProposal}},
	Owners: forge.Groups,
	Form:   "https://gitlab.com/GROUP/NAME/-/issues/N, https://gitlab.com/GROUP/NAME/-/merge_requests/N",
	Bindings: []forge.Binding{
		{Variable: "GITLAB_TOKEN", HostVars: []string{"CI_SERVER_HOST", "GITLAB_HOST"}, PortVar: "CI_SERVER_PORT", Public: forge.Unless},
	},
	RootVars: []string{"CI_API_V4_URL", "CI_SERVER_URL", "GITLAB_HOST"},
}
