package forgejo

import (
	"snapline/pkg/contract"
	"snapline/pkg/forge"
)

const suffix = "/api/v1"

// facts are what addresses and tokens have to know of Forgejo. An address of its API with
// "issues" may be that of a pull request, which is an issue there too.
var facts = forge.Facts{
	Forge:  contract.Forgejo,
	Hosts:  []string{"codeberg.org"},
	Suffix: suffix,
	Words: []forge.Word{
		{Text: "issues", Kind: contract.WorkItem},
		{Text: "pulls", Kind: contract.ChangeProposal},
	},
	Collection: "repos",
	APIWords:   []forge.Word{{Text: "issues"}, {Text: "pulls", Kind: contract.ChangeProposal}},
	Marks:      []forge.Word{{Text: "#"}, {Text: "!", Kind: contract.ChangeProposal}},
	Owners:     forge.RootedName,
	Form:       "https://codeberg.org/OWNER/REPO/issues/N, https://codeberg.org/OWNER/REPO/pulls/N",
	Bindings: []forge.Binding{
		{Variable: "FORGEJO_TOKEN", HostVars: []string{"FORGEJO_SERVER_URL"}, Public: forge.Unless},
	},
	RootVars: []string{"FORGEJO_SERVER_URL"},
}
