// Package attest holds the statements of emit against the libraries of those who use such
// statements: in-toto's types read them, and a DSSE library signs them. It is a module of
// its own, so that the product depends on none of that.
package attest

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"
)

const (
	builder     = "https://ci.example/runners/7"
	payloadType = "application/vnd.in-toto+json"
)

// run runs a program with a stream on its stdin and gives its stdout.
func run(t *testing.T, bin, stdin, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, name), args...)
	if stdin != "" {
		file, err := os.Open(stdin)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		cmd.Stdin = file
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		t.Logf("%s: %v: %s%s", name, err, stdout.String(), stderr.String())
	}
	return stdout.String(), err
}

// made runs the stages on a recorded capture and gives the statement's file and the
// options with which verify holds it against everything.
func made(t *testing.T) (bin, statement string, verify []string) {
	t.Helper()
	dir := t.TempDir()
	bin = filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", bin+string(filepath.Separator), "./cmd/...")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	statement = at("statement.json")
	stdin := ""
	for _, stage := range [][]string{
		{"fetch", "--replay", "../../../testdata/pipeline/pull-request/1-fetch.ndjson.zst", "--capture", at("raw.ndjson.zst")},
		{"filter", "--capture", at("filtered.ndjson")},
		{"bound", "--capture", at("bounded.ndjson")},
		{"emit", "--out", at("context"), "--statement", statement, "--builder-id", builder, "--raw", at("raw.ndjson.zst")},
	} {
		out, err := run(t, bin, stdin, stage[0], stage[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		stdin = at("stdin")
		if err := os.WriteFile(stdin, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	receipt, err := os.ReadFile(stdin)
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		SHA256 string `json:"index_sha256"`
	}
	if err := json.Unmarshal(receipt, &root); err != nil {
		t.Fatal(err)
	}
	return bin, statement, []string{
		at("context"), "--index-sha256", root.SHA256, "--builder-id", builder,
		"--stream", at("raw.ndjson.zst"), "--stream", at("filtered.ndjson"), "--stream", at("bounded.ndjson"),
	}
}

// in-toto's own types read the statement and its predicate, and find both valid.
func TestStatementIsInToto(t *testing.T) {
	_, path, verify := made(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s intoto.Statement
	if err := protojson.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if s.Subject[0].Name != "index.json" || s.Subject[0].Digest["sha256"] != verify[2] {
		t.Errorf("subject %v", s.Subject)
	}
	predicate, err := protojson.Marshal(s.Predicate)
	if err != nil {
		t.Fatal(err)
	}
	var p provenance.Provenance
	if err := protojson.Unmarshal(predicate, &p); err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if s.PredicateType != "https://slsa.dev/provenance/v1" || p.RunDetails.Builder.Id != builder || len(p.BuildDefinition.ResolvedDependencies) != 1 || len(p.RunDetails.Byproducts) != 3 {
		t.Errorf("%s %v", s.PredicateType, &p)
	}
	for _, r := range append(p.BuildDefinition.ResolvedDependencies, p.RunDetails.Byproducts...) {
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}

// key signs and verifies by Ed25519.
type key struct {
	private ed25519.PrivateKey
	id      string
}

func (k key) Sign(_ context.Context, data []byte) ([]byte, error) {
	return ed25519.Sign(k.private, data), nil
}

func (k key) Verify(_ context.Context, data, signature []byte) error {
	if !ed25519.Verify(k.private.Public().(ed25519.PublicKey), data, signature) {
		return os.ErrPermission
	}
	return nil
}

func (k key) KeyID() (string, error) { return k.id, nil }

func (k key) Public() crypto.PublicKey { return k.private.Public() }

func newKey(seed byte) key {
	return key{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)), "key-" + string('0'+rune(seed))}
}

// A DSSE envelope around the statement is signed and verified by a library; what comes out
// of it is what verify takes. A byte changed anywhere in it is noticed by one of the two.
func TestStatementIsSigned(t *testing.T) {
	bin, path, verify := made(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := dsse.NewEnvelopeSigner(newKey(1))
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := signer.SignPayload(t.Context(), payloadType, text)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := dsse.NewEnvelopeVerifier(newKey(1))
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := verifier.Verify(t.Context(), envelope)
	if err != nil || len(accepted) != 1 {
		t.Fatalf("%v, %d accepted", err, len(accepted))
	}
	payload, err := envelope.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	unpacked := filepath.Join(t.TempDir(), "unpacked.json")
	if err := os.WriteFile(unpacked, payload, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, bin, "", "verify", append(verify, "--statement", unpacked)...); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	stranger, err := dsse.NewEnvelopeVerifier(newKey(2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Verify(t.Context(), envelope); err == nil {
		t.Error("another key verifies it")
	}
	for _, change := range []func(*dsse.Envelope){
		func(e *dsse.Envelope) { e.PayloadType += "x" },
		func(e *dsse.Envelope) { e.Payload = strings.Replace(e.Payload, "e", "f", 1) },
		func(e *dsse.Envelope) {
			e.Signatures[0].Sig = strings.Replace(e.Signatures[0].Sig, e.Signatures[0].Sig[:1], "+", 1)
		},
	} {
		changed := *envelope
		changed.Signatures = append([]dsse.Signature{}, envelope.Signatures...)
		change(&changed)
		if _, err := verifier.Verify(t.Context(), &changed); err == nil {
			t.Errorf("a changed envelope verifies: %+v", changed.Signatures)
		}
	}
}
