package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
)

var exampleSource = contract.Source{Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample", Repository: "example/project"}

func TestKeyVectors(t *testing.T) {
	requirement.Claim(t, "KEY-01", "KEY-02", "KEY-03", "KEY-04")
	gitlab := contract.Source{Forge: contract.GitLab, Host: "gitlab.example.com:8443", RepositoryID: "1234"}
	forgejo := contract.Source{Forge: contract.Forgejo, Host: "codeberg.org", RepositoryID: "42"}
	for _, c := range []struct {
		source   contract.Source
		kind     contract.Kind
		id, want string
	}{
		{exampleSource, contract.KindComment, "IC_kwDOExample", "c73645a72a9c5de28d71e3e1efe235b9a5d02ee6dfe7dc0ef06cf3d0e5ee3421"},
		{exampleSource, contract.KindThread, "PRRT_kwDOExample", "419416cbb0d273e5b32402a812fdaf74645f7c0f002fdf7b593a9a30cb65a480"},
		{gitlab, contract.KindEntity, "5678", "57feeccfdf621e446b3aa7f163fecb20ec1f133b5ddad605e255a44745fb9c26"},
		{forgejo, contract.KindReview, "7", "80c9a3036c96804b2b3522da1bb474ce5e078334745930ab382e33d26cafc896"},
	} {
		if got := Key(c.source, c.kind, c.id); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.kind, c.id, got, c.want)
		}
	}
}

// TestKeyFields spells the key out for every kind: four fields, three zero bytes.
func TestKeyFields(t *testing.T) {
	requirement.Claim(t, "KEY-01", "KEY-02", "KEY-04")
	seen := map[string]contract.Kind{}
	for _, kind := range []contract.Kind{"comment", "review", "check", "thread", "entity"} {
		sum := sha256.Sum256([]byte("github://github.com\x00R_kgDOExample\x00" + string(kind) + "\x00X_1"))
		got := Key(exampleSource, kind, "X_1")
		if got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %s", kind, got)
		}
		if other, twice := seen[got]; twice {
			t.Errorf("%s and %s share a key", kind, other)
		}
		seen[got] = kind
		if !ValidDigest(got) {
			t.Errorf("%s is no digest", got)
		}
	}
}

// TestKeyInputs: nothing but the four fields reaches a key.
func TestKeyInputs(t *testing.T) {
	requirement.Claim(t, "KEY-06")
	want := Key(exampleSource, contract.KindComment, "IC_1")
	renamed := exampleSource
	renamed.Repository = "elsewhere/renamed"
	if Key(renamed, contract.KindComment, "IC_1") != want {
		t.Error("the repository's name reaches the key")
	}
	for name, change := range map[string]func(*contract.Source){
		"forge":         func(s *contract.Source) { s.Forge = contract.Forgejo },
		"host":          func(s *contract.Source) { s.Host = "github.com:8443" },
		"repository id": func(s *contract.Source) { s.RepositoryID = "R_kgDOOther" },
	} {
		other := exampleSource
		change(&other)
		if Key(other, contract.KindComment, "IC_1") == want {
			t.Errorf("the %s does not reach the key", name)
		}
	}
}

func TestDigest(t *testing.T) {
	if got, want := Digest(nil), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
