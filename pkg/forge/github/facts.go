package github

import (
	"snapline/pkg/contract"
	"snapline/pkg/forge"
)

// facts are what addresses and tokens have to know of GitHub. An address of its API with
// "issues" may be that of a pull request, which is an issue there too.
var facts = forge.Facts{
	Forge:    contract.GitHub,
	Hosts:    []string{"github.com", "*.ghe.com"},
	APILabel: "api.", Suffix: serverREST,
	Default: true,
	Words: []forge.Word{
		{Text: "issues", Kind: contract.WorkItem},
		{Text: "pull", Kind: contract.ChangeProposal},
		{Text: "pulls", Kind: contract.ChangeProposal, Alias: true},
	},
	Collection: "repos",
	APIWords:   []forge.Word{{Text: "issues"}, {Text: "pulls", Kind: contract.ChangeProposal}},
	Marks:      []forge.Word{{Text: "#"}},
	Owners:     forge.OwnerAndName,
	Form:       "https://github.com/OWNER/REPO/issues/N, https://github.com/OWNER/REPO/pull/N",
	Bindings: []forge.Binding{
		{Variable: "GH_ENTERPRISE_TOKEN", HostVars: []string{"GH_HOST", "GITHUB_SERVER_URL"}, Public: forge.Never},
		{Variable: "GH_TOKEN", HostVars: []string{"GITHUB_SERVER_URL"}, Public: forge.Always},
		{Variable: "GITHUB_TOKEN", HostVars: []string{"GITHUB_SERVER_URL"}, Public: forge.Always},
	},
}
