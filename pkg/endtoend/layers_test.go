package endtoend_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// floors are the folders from the ground up: what stands on one may import what stands
// below it or beside it, and nothing above it. A folder of several packages is one room.
var floors = [][]string{
	{"docs", "schemas"},
	{"pkg/fault", "pkg/json"},
	{"pkg/finding", "pkg/contract"},
	{"pkg/disk", "pkg/profile", "pkg/schema"},
	{"pkg/stream", "pkg/safety"},
	{"pkg/family"},
	{"pkg/forge"},
	{"pkg/stage"},
	{"pkg/check", "pkg/audit"},
	{"pkg/read"},
	{"pkg/program"},
	{"cmd"},
}

// testOnly are packages that no program links; they may use what they test.
var testOnly = []string{"pkg/endtoend", "pkg/forge/forgetest", "pkg/forge/forgejo/forgejotest", "pkg/forge/github/githubtest", "pkg/forge/gitlab/gitlabtest", "pkg/requirement", "pkg/testkit", "scripts"}

func floorOf(path string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool {
		return slices.ContainsFunc(rooms, func(room string) bool { return path == room || strings.HasPrefix(path, room+"/") })
	})
}

func isTestOnly(path string) bool {
	return slices.ContainsFunc(testOnly, func(room string) bool { return path == room || strings.HasPrefix(path, room+"/") })
}

// stageOf names the stage that a package belongs to, or "".
func stageOf(path string) string {
	rest, ok := strings.CutPrefix(path, "pkg/stage/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// No folder imports one that stands above it, and no stage another.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	must(t, err)
	seen := 0
	for line := range strings.Lines(string(out)) {
		var paths []string
		for _, path := range strings.Fields(line) {
			if rest, ok := strings.CutPrefix(path, "snapline/"); ok {
				paths = append(paths, rest)
			}
		}
		if len(paths) == 0 || isTestOnly(paths[0]) {
			continue
		}
		seen++
		from := paths[0]
		floor := floorOf(from)
		if floor < 0 {
			t.Errorf("%s stands on no floor", from)
			continue
		}
		for _, to := range paths[1:] {
			switch {
			case isTestOnly(to):
				t.Errorf("%s imports %s, which is for tests", from, to)
			case floorOf(to) > floor:
				t.Errorf("%s imports %s, which stands above it", from, to)
			case stageOf(from) != "" && stageOf(to) != "" && stageOf(from) != stageOf(to):
				t.Errorf("%s imports %s: no stage knows another", from, to)
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d packages seen", seen)
	}
}

// A program links what it uses: the three stages in the middle open no connection.
func TestProgramsLinkWhatTheyUse(t *testing.T) {
	for program, never := range map[string][]string{
		"filter": {"net", "net/http", "crypto/tls", "github.com/xeipuuv/gojsonschema"},
		"bound":  {"net", "net/http", "crypto/tls", "github.com/xeipuuv/gojsonschema"},
		"emit":   {"net", "net/http", "crypto/tls", "github.com/xeipuuv/gojsonschema"},
		"fetch":  {"github.com/xeipuuv/gojsonschema"},
		"verify": {"snapline/pkg/forge"},
	} {
		out, err := exec.Command("go", "list", "-deps", "./cmd/"+program).Output()
		must(t, err)
		deps := strings.Fields(string(out))
		if len(deps) < 50 {
			t.Fatalf("%s: %d dependencies", program, len(deps))
		}
		for _, path := range never {
			if slices.Contains(deps, path) {
				t.Errorf("%s links %s", program, path)
			}
		}
	}
}
