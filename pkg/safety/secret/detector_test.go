package secret

import (
	"fmt"
	"strings"
	"testing"

	"snapline/pkg/requirement"
)

// scan applies the rules at every place where a pattern begins, found by the obvious
// comparison, and gives the redacted text with its codes.
func scan(r *Rules, text string) (string, []Span) {
	d := r.NewDetector()
	d.Reset([]byte(text))
	patterns := r.Patterns()
	for i := range len(text) {
		for k, p := range patterns {
			if p.At([]byte(text), i) {
				d.At(k, i)
			}
		}
	}
	spans := d.Spans()
	return string(Redact(nil, []byte(text), spans)), spans
}

// A sample is a text and what becomes of it; want "" says that it stays. Markers are
// written «github» for [REDACTED-secret.github]. The sign ¦ is taken out of both: it
// keeps samples from looking like credentials to other scanners.
type sample struct{ in, want string }

func (s sample) expand() (in, want string) {
	in = strings.ReplaceAll(s.in, "¦", "")
	want = strings.ReplaceAll(s.want, "¦", "")
	if want == "" {
		return in, in
	}
	for c := range Code(codeCount) {
		_, short, _ := strings.Cut(c.String(), ".")
		want = strings.ReplaceAll(want, "«"+short+"»", c.Marker())
	}
	return in, want
}

func check(t *testing.T, rules *Rules, samples []sample) {
	t.Helper()
	for k, s := range samples {
		in, want := s.expand()
		got, _ := scan(rules, in)
		if got != want {
			t.Errorf("%d: %q\n got %q\nwant %q", k, in, got, want)
			continue
		}
		if again, spans := scan(rules, got); again != got {
			t.Errorf("%d: %q: second look changes it to %q, %v", k, got, again, spans)
		}
	}
}

var plainRules = New(nil)

// fake gives n characters that have capitals, small letters and digits.
func fake(n int) string {
	return strings.Repeat("FAKEexample0", n/12+1)[:n]
}

func TestMarkersAreSafe(t *testing.T) {
	requirement.Claim(t, "AMB-47")
	for c := range Code(codeCount) {
		m := c.Marker()
		if strings.ContainsAny(m, "\"'\\<>&@/ \t\n") {
			t.Errorf("%s has a character that breaks text around it", m)
		}
		for _, around := range []string{"%s", "a%sb", "%s%s", "token=%s", "\"password\": \"%s\"", "x://u:%s@h", "Authorization: Bearer %s", "%s: x", "key %s = %s"} {
			in := strings.ReplaceAll(around, "%s", m)
			if got, spans := scan(plainRules, in); got != in {
				t.Errorf("%q becomes %q, %v", in, got, spans)
			}
		}
	}
}

func TestProviders(t *testing.T) {
	requirement.Claim(t, "SEC-02")
	f := fake
	check(t, plainRules, []sample{
		// OpenAI
		{"a sk-¦proj-" + f(20) + " b", "a «openai» b"},
		{"a sk-¦proj-" + f(19) + " b", ""},
		{"sk-¦svcacct-" + f(74) + "T3BlbkFJ" + f(74), "«openai»"},
		{"sk-¦admin-" + f(58) + "T3BlbkFJ" + f(58) + ".", "«openai»."},
		{"(sk-¦" + f(48) + ")", "(«openai»)"},
		{"sk-¦" + f(20), "«openai»"},
		{"sk-¦" + f(19), ""},
		{`x\nsk-¦` + f(48), `x\n«openai»`},
		{"k%3Dsk-¦" + f(48), "k%3D«openai»"},
		{`k\u003dsk-¦` + f(48), `k\u003d«openai»`},
		{"risk-¦" + f(48), ""},
		{"risk-adjusted-return-calculation and task-notification-handler-registry", ""},
		{"disk-usage-monitoring-service sk-learn-estimator-documentation-link", ""},
		{"sk-abcdefghijklmnopqrstuvwxyzabcdef", ""},
		{"task-proj-management-dashboard-component", ""},
		{"sk-admin-panel-component-handler-registry", ""},
		// Anthropic
		{"sk-¦ant-api03-" + f(93) + "AA", "«anthropic»"},
		{"sk-¦ant-oat01-" + f(120), "«anthropic»"},
		{"sk-¦ant-" + f(20), "«anthropic»"},
		// GitHub
		{"gh¦p_" + f(36) + ", gh¦o_" + f(36) + ", gh¦u_" + f(36) + ", gh¦r_" + f(76), "«github», «github», «github», «github»"},
		{"gh¦p_" + f(35), ""},
		{"gh¦p_" + strings.Repeat("a", 36), "«github»"},
		{"x\\ngh¦p_" + f(36) + "\\nend", "x\\n«github»\\nend"},
		{"agh¦p_" + f(36), "a«github»"},
		{"Rotate gh¦p_" + f(36) + ". Then", "Rotate «github». Then"},
		{"gh¦s_" + f(36) + ".", "«github»."},
		{"gh¦s_123456_eyJ" + f(33) + ".eyJ" + f(200) + "." + f(80) + "-_. Next", "«github». Next"},
		{"github¦_pat_" + f(22) + "_" + f(59), "«github»"},
		{"github¦_pat_" + f(21), ""},
		// GitLab
		{"glp¦at-" + f(20) + " x", "«gitlab» x"},
		{"glp¦at-" + f(19) + " x", ""},
		{"glp¦at-" + f(27) + ".01.0z1fake11 x", "«gitlab» x"},
		{"glp¦at-" + f(27) + ".0z1fake11. Next", "«gitlab». Next"},
		{"glp¦at-" + f(20) + ". Next", "«gitlab». Next"},
		{"ACME-glp¦at-" + f(20), "ACME-«gitlab»"},
		{"glr¦t-" + f(20) + " glr¦tr-" + f(20) + " gld¦t-" + f(20) + " glp¦tt-" + f(20), "«gitlab» «gitlab» «gitlab» «gitlab»"},
		{"glc¦bt-64_" + f(20) + " glf¦t-" + f(20) + " gli¦mt-" + f(20) + " glag¦ent-" + f(50), "«gitlab» «gitlab» «gitlab» «gitlab»"},
		{"glo¦as-" + f(64) + " gls¦oat-" + f(20) + " glf¦fct-" + f(20) + " glw¦t-" + f(20), "«gitlab» «gitlab» «gitlab» «gitlab»"},
		{"GR13¦48941" + f(20), "«gitlab»"},
		{"glft-some-very-long-kebab-case-name", ""},
		// Slack
		{"xox¦b-123456789012-1234567890123-" + f(24), "«slack»"},
		{"xox¦p-1234567890 xox¦a-2-12345678 xox¦r-1234567890 xox¦s-1234567890 xox¦o-1234567890 xox¦c-1234567890", "«slack» «slack» «slack» «slack» «slack» «slack»"},
		{"xox¦b-123456789", ""},
		{"xox¦d-abc%2Bdef%2F0A%3D%3D; path", "«slack»; path"},
		{"xap¦p-1-A0FAKE0-1234567890-" + strings.Repeat("0f", 32), "«slack»"},
		{"xapp-runner-deployment-name", ""},
		{"xox¦e-1-" + f(146) + " xox¦e.xoxp-1-" + f(166) + " xox¦e.xoxb-1-" + f(160), "«slack» «slack» «slack»"},
		{"https://hooks.slack.com/ser¦vices/T0FAKE/B0FAKE/" + f(24) + ".", "https://hooks.slack.com/services/«slack»."},
		{"https://hooks.slack.com/work¦flows/T0FAKE/A0FAKE/123/" + f(24) + " https://hooks.slack.com/trig¦gers/T0/1/" + f(24), "https://hooks.slack.com/workflows/«slack» https://hooks.slack.com/triggers/«slack»"},
		{"xoxo-hugs-and-kisses", ""},
		// Google
		{"AIz¦a" + f(35), "«google»"},
		{"AIz¦a" + f(34), ""},
		{"AQ¦.Ab8" + f(40), "«google»"},
		{"ya2¦9.a0Af" + f(100) + ".", "«google»."},
		{"ya2¦9.c.b0A" + f(60), "«google»"},
		{"1/¦/0g" + f(60), "«google»"},
		{"GOC¦SPX-" + f(28), "«google»"},
		// AWS
		{"AK¦IA" + "FAKEXMPL2345FAKE", "«aws»"},
		{"AS¦IAFAKEXMPL2345FAKE AB¦IAFAKEXMPL2345FAKE AC¦CAFAKEXMPL2345FAKE", "«aws» «aws» «aws»"},
		{"AK¦IAFAKEXMPL2345FAK", ""},
		{"AK¦IAFAKEXMPL2345FAKE2", ""},
		{"xAK¦IAFAKEXMPL2345FAKE", ""},
		{"AK¦IAFAKEXMPL2345FAKEx", ""},
		{`id\nAK¦IAFAKEXMPL2345FAKE\n`, `id\n«aws»\n`},
		{"AIDAFAKEXMPL2345FAKE AROAFAKEXMPL2345FAKE AGPAFAKEXMPL2345FAKE", ""},
		{"id AK¦IAFAKEXMPL2345FAKE and " + f(20) + "/" + f(19) + " close by", "id «aws» and «aws» close by"},
		{"id AK¦IAFAKEXMPL2345FAKE at fa4e0fa4e0fa4e0fa4e0fa4e0fa4e0fa4e0fa4e0", "id «aws» at fa4e0fa4e0fa4e0fa4e0fa4e0fa4e0fa4e0fa4e0"},
		{"aws_secret_access_key = " + f(20) + "/" + f(19), "aws_secret_access_key = «aws»"},
		{"AWS secret key is " + f(20) + "/" + f(19), "AWS secret key is «aws»"},
		{"<SecretAccessKey>" + f(20) + "/" + f(19) + "</SecretAccessKey>", "<SecretAccessKey>«aws»</SecretAccessKey>"},
		{"aws_session_token=" + f(120) + "==", "aws_session_token=«aws»"},
		{"\"SessionToken\": \"" + f(120) + "==\"", "\"SessionToken\": \"«aws»\""},
		{f(20) + "/" + f(19), ""},
		{"Secret Access Key: " + f(20) + "/" + f(19) + "\nsecret_access_key " + f(20) + "/" + f(19), "Secret Access Key: «aws»\nsecret_access_key «aws»"},
		{"<SessionTok¦en>" + f(120) + "+/==</SessionTok¦en>", "<SessionToken>«aws»</SessionToken>"},
		{"aws_session_tok¦en " + f(120) + " x\nSession tok¦en: " + f(200), "aws_session_token «aws» x\nSession token: «aws»"},
		{"SessionToken " + f(99) + " session tokens " + f(120) + " secret access keys " + f(39), ""},
		// Stripe
		{"sk¦_live_" + f(24) + " sk¦_test_" + f(99) + " rk¦_live_" + f(24) + " rk¦_test_" + f(10), "«stripe» «stripe» «stripe» «stripe»"},
		{"pk_live_" + f(24), ""},
		{"whs¦ec_" + f(32), "«stripe»"},
		{"whs¦ec_" + f(31), ""},
		{"network_test_environment framework_test_configuration disk_live_migration", ""},
		{"sk_test_helper.go", ""},
		// SendGrid
		{"SG¦." + f(22) + "." + f(43), "«sendgrid»"},
		{"SG¦." + f(22) + "." + f(42), ""},
		{"MSG¦." + f(22) + "." + f(43), ""},
		{`\nSG¦.` + f(22) + "." + f(43) + ".", `\n«sendgrid».`},
		// the others
		{"hf¦_" + f(34) + " api¦_org_" + f(34), "«huggingface» «huggingface»"},
		{"hf¦_" + strings.Repeat("a", 34), "«huggingface»"},
		{"hf¦_" + f(33) + " xhf¦_" + f(34), ""},
		{"np¦m_" + f(36), "«npm»"},
		{"npm_config_user_agent npm_lifecycle_event", ""},
		{"//registry.example/:_auth¦Token=0fa4e000-1111-4222-8333-fa4efa4efa4e", "//registry.example/:_authToken=«env-value»"},
		{"//registry.example/:_pass¦word=RkFLRWV4 //registry.example/:_auth=RkFLRWV4YW1wbGU=", "//registry.example/:_password=«env-value» //registry.example/:_auth=«env-value»"},
		{"pyp¦i-AgEIcHlwaS5vcmc" + f(120), "«pypi»"},
		{"pyp¦i-AgENdGVzdC5weXBpLm9yZw" + f(30), "«pypi»"},
		{"pypi-publish-with-trusted-publishers-and-attestations-enabled", ""},
		{"hv¦s." + f(24) + " hv¦b." + f(138) + " hv¦r." + f(24), "«vault» «vault» «vault»"},
		{"VAULT_TOKEN=s." + f(24), "VAULT_TOKEN=«vault»"},
		{"vault login s." + f(24) + " and\nvault token revoke s." + f(24) + ".", "vault login «vault» and\nvault token revoke «vault»."},
		{"Vault: root token s." + f(24) + ", batch b." + f(40) + "-_x", "Vault: root token «vault», batch «vault»"},
		{"vault login s." + f(23) + " xs." + f(24) + "\ns." + f(24), ""},
		{"vault.s.someVeryLongMethodNameOfAStruct(x), s.alllowercaseletterswithoutend", ""},
		{"AGE-SEC¦RET-KEY-1" + strings.Repeat("FAKEXMPL2345", 5)[:58], "«age»"},
		{"AGE-SEC¦RET-KEY-PQ-1" + strings.Repeat("FAKEXMPL2345", 5)[:58], "«age»"},
		{"AGE-PLU¦GIN-YUBIKEY-1" + strings.Repeat("FAKEXMPL2345", 3), "«age»"},
		{"age1" + strings.Repeat("fakexmpl2345", 5)[:58], ""},
		{"dckr¦_pat_" + f(27) + " dckr¦_oat_" + f(32), "«docker» «docker»"},
		{"shp¦at_" + strings.Repeat("fa4e", 8) + " shp¦ss_" + strings.Repeat("fa4e", 8), "«shopify» «shopify»"},
		{"bedrock-api¦-key-" + f(60) + " ABS¦K" + f(100), "«aws» «aws»"},
		// nothing at all
		{"sha512-" + f(86) + "== h1:" + f(43) + "= 0fa4e000-1111-4222-8333-fa4efa4efa4e", ""},
	})
}

func lines(prefix string, parts ...string) string {
	return prefix + strings.Join(parts, "\n"+prefix)
}

func TestPrivateKeys(t *testing.T) {
	requirement.Claim(t, "SEC-03")
	b64 := strings.Repeat("FAKEexample0", 6)[:64]
	label := func(name string) (string, string) {
		return "-----BEGIN " + name + "-----", "-----END " + name + "-----"
	}
	var samples []sample
	for _, name := range []string{"PRIVATE¦ KEY", "RSA PRIVATE¦ KEY", "EC PRIVATE¦ KEY", "DSA PRIVATE¦ KEY", "OPENSSH PRIVATE¦ KEY", "ENCRYPTED PRIVATE¦ KEY", "ANY PRIVATE¦ KEY", "PGP PRIVATE¦ KEY BLOCK"} {
		begin, end := label(name)
		body := []string{begin, b64, b64, "FAKEexample=="}
		whole := append(append([]string{}, body...), end)
		samples = append(samples,
			sample{"a\n" + lines("", whole...) + "\nb", "a\n«private-key»\nb"},
			sample{"a\n" + lines("", body...) + "\n$ ls\nREADME.md\n", "a\n«private-key»\n$ ls\nREADME.md\n"},
			sample{"a\n" + lines("", body...), "a\n«private-key»"},
			sample{"k: " + strings.Join(whole, " ") + " done", "k: «private-key» done"},
			sample{"k: " + strings.Join(whole, "") + " done", "k: «private-key» done"},
			sample{`{"k":"` + strings.Join(whole, `\n`) + `\n","x":1}`, `{"k":"«private-key»\n","x":1}`},
			sample{`{"k":"` + strings.Join(whole, `\r\n`) + `"}`, `{"k":"«private-key»"}`},
			sample{`{\"k\":\"` + strings.Join(whole, `\\n`) + `\\n\"}`, `{\"k\":\"«private-key»\\n\"}`},
			sample{`{"k":"` + strings.Join(whole, `\u000a`) + `"}`, `{"k":"«private-key»"}`},
			sample{`k = "` + strings.Join(whole, "\\n\" +\n    \"") + `";`, `k = "«private-key»";`},
			sample{lines("2026-03-11T08:14:22.0000000Z ", append(append([]string{"start"}, whole...), "finish")...), "2026-03-11T08:14:22.0000000Z start\n2026-03-11T08:14:22.0000000Z «private-key»\n2026-03-11T08:14:22.0000000Z finish"},
			sample{lines("2026-03-11T08:14:22.0000000Z ", append(append([]string{"start"}, body...), "not base64 at all")...), "2026-03-11T08:14:22.0000000Z start\n2026-03-11T08:14:22.0000000Z «private-key»\n2026-03-11T08:14:22.0000000Z not base64 at all"},
			sample{lines("build\tjob 7\t", whole...) + "\n", "build\tjob 7\t«private-key»\n"},
			sample{lines("+", whole...) + "\n+x", "+«private-key»\n+x"},
			sample{lines("-", whole...) + "\n-x", "-«private-key»\n-x"},
			sample{lines("-", body...) + "\n-x is no base64", "-«private-key»\n-x is no base64"},
			sample{lines("> ", whole...) + "\nb", "> «private-key»\nb"},
			sample{lines("| ", whole...) + "\nb", "| «private-key»\nb"},
			sample{lines("    ", whole...) + "\nb", "    «private-key»\nb"},
			sample{"The label " + begin + " starts a key.\n", ""},
			sample{begin + "\n...\n" + end + "\n", ""},
			sample{begin + "\n<your key>\n" + end + "\n", ""},
			sample{begin + " and " + end + "\n", ""},
			sample{begin + "\n\n\nSome prose that follows the label and is quite long.\n" + b64, ""},
			sample{"x " + begin, ""},
		)
	}
	begin, end := label("RSA PRIVATE¦ KEY")
	begin2, end2 := label("EC PRIVATE¦ KEY")
	changed := " " + begin + "\n-" + b64 + "\n-" + b64 + "\n+" + b64 + "\n+" + b64 + "\n " + end + "\n x"
	pgp, pgpEnd := label("PGP PRIVATE¦ KEY BLOCK")
	samples = append(samples,
		sample{begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n" + b64 + "\nFAKE0\n" + end + "\nb", "«private-key»\nb"},
		sample{begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n" + b64 + "\n$ ls", "«private-key»\n$ ls"},
		sample{begin + " Proc-Type: 4,ENCRYPTED DEK-Info: AES-128-CBC,0123 " + b64 + " " + end + " b", "«private-key» b"},
		sample{changed, " «private-key»\n x"},
		sample{pgp + "\nVersion: none\nComment: a comment\n\n" + b64 + "\n" + b64 + "\n=FAKE\n" + pgpEnd + "\nb", "«private-key»\nb"},
		sample{pgp + "\n\n" + b64 + "\n=FAKE\nb", "«private-key»\nb"},
		sample{begin + "\n" + b64 + "\n" + end + "\nkeep this\n" + begin2 + "\n" + b64 + "\n" + end2 + "\n", "«private-key»\nkeep this\n«private-key»\n"},
		sample{begin + "\n" + b64 + "\n" + begin + "\n" + b64 + "\n" + end + "\n", "«private-key»\n«private-key»\n"},
		sample{"---- BEGIN SSH2 ENCRYPTED PRIVATE¦ KEY ----\n" + b64 + "\n---- END SSH2 ENCRYPTED PRIVATE¦ KEY ----\nb", "«private-key»\nb"},
		sample{"-----BEGIN PUBLIC KEY-----\n" + b64 + "\n-----END PUBLIC KEY-----", ""},
		sample{"-----BEGIN CERTIFICATE-----\n" + b64 + "\n-----END CERTIFICATE-----", ""},
		sample{"-----BEGIN PGP PUBLIC KEY BLOCK-----\n" + b64 + "\n-----END PGP PUBLIC KEY BLOCK-----", ""},
		sample{begin + "\n" + b64 + "\n" + b64 + "\nnoise in between\n" + b64 + "\n" + end + "\nb", "«private-key»\nb"},
		sample{"PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\nAAAAB3Nza\nPrivate-Li¦nes: 2\n" + b64 + "\n" + b64 + "\nPrivate-MAC: 00", "PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\nAAAAB3Nza\nPrivate-Lines: 2\n«private-key»\nPrivate-MAC: 00"},
		sample{"MIIEowIBAAKC" + strings.Repeat(b64, 6) + " b", "«private-key» b"},
		sample{"MIIEowIBAAKC" + strings.Repeat(b64+"\n", 6) + "b c", "«private-key»\nb c"},
		sample{"MIIDdzCCAl+g" + strings.Repeat(b64, 6) + " b", ""},
	)
	check(t, plainRules, samples)
}

// Lines of a key may be narrow and their breaks spelt in many ways; words between the
// labels are no key.
func TestWrappedKeys(t *testing.T) {
	requirement.Claim(t, "SEC-03")
	const key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTU"
	wrap := func(width int, separator string) string {
		var lines []string
		for rest := key; rest != ""; rest = rest[min(width, len(rest)):] {
			lines = append(lines, rest[:min(width, len(rest))])
		}
		return "a -----BEGIN ¦PRIVATE KEY-----" + separator + strings.Join(lines, separator) + separator + "-----END PRIVATE KEY----- b"
	}
	var samples []sample
	for _, width := range []int{8, 16, 20, 31, 56, 64} {
		for _, separator := range []string{"\n", "\\n", "\\r\\n", " ", "%0A", "%0d%0a", "&#10;", "&#xA;", "\",\n\""} {
			samples = append(samples, sample{wrap(width, separator), "a «private-key» b"})
		}
	}
	samples = append(samples, sample{"-----BEGIN ¦PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----", "«private-key»"})
	for _, stays := range []string{
		wrap(7, "\n"),
		"-----BEGIN ¦PRIVATE KEY-----\nyour base64 encoded key material goes right here, please\n-----END PRIVATE KEY-----",
		"-----BEGIN ¦PRIVATE KEY-----\npassword password password\n-----END PRIVATE KEY-----",
		"-----BEGIN ¦PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAA\nSCBKcwggSjAgEAAo\n-----END PRIVATE KEY-----",
		"-----BEGIN ¦PRIVATE KEY-----\nMIIEvQIBADANBgk\n-----END PRIVATE KEY-----",
		"-----BEGIN ¦PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END EC PRIVATE KEY-----",
		"-----BEGIN ¦PRIVATE KEY-----%0A-----END PRIVATE KEY-----",
	} {
		samples = append(samples, sample{in: stays})
	}
	check(t, plainRules, samples)
}

func TestHeaders(t *testing.T) {
	requirement.Claim(t, "SEC-04")
	f := fake(24)
	check(t, plainRules, []sample{
		{"> Authorization: Bearer " + f + "\n> Accept: */*", "> Authorization: Bearer «auth-header»\n> Accept: */*"},
		{"> Authorization: Basic c3ZjLXVzZXI6bm90==\n<", "> Authorization: Basic «auth-header»\n<"},
		{"authorization:token " + f, "authorization:token «auth-header»"},
		{"Proxy-Authorization: Basic " + f, "Proxy-Authorization: Basic «auth-header»"},
		{"Authorization: Digest username=\"Mufasa\", realm=\"a\", response=\"" + f + "\"\nx", "Authorization: Digest «auth-header»\nx"},
		{"Authorization: AWS4-HMAC-SHA256 Credential=" + f + "/20260311/x, Signature=" + f, "Authorization: AWS4-HMAC-SHA256 «auth-header»"},
		{"Authorization: Whatever " + f + " x", "Authorization: Whatever «auth-header»"},
		{"Authorization: Whatever " + f, "Authorization: Whatever «auth-header»"},
		{"Authorization: " + f, "Authorization: «auth-header»"},
		{"AUTHORIZATION: basic ***\n  token: ***", ""},
		{"Authorization: Bearer $TOKEN\nAuthorization: token ${{ secrets.GITHUB_TOKEN }}\nAuthorization: Bearer <token>", ""},
		{"Authorization: Bearer ${TOKEN}", ""},
		{"Authorization: see the documentation for details", ""},
		{"curl -sS -H 'x-api-key: " + f + "' -H 'accept: json' https://api.example/v1", "curl -sS -H 'x-api-key: «auth-header»' -H 'accept: json' https://api.example/v1"},
		{"curl -H \"Authorization: Basic " + f + "\" -H \"Accept: x\"", "curl -H \"Authorization: Basic «auth-header»\" -H \"Accept: x\""},
		{"`Authorization: Bearer " + f + "` works", "`Authorization: Bearer «auth-header»` works"},
		{`{"Authorization": "Bearer ` + f + `", "x": 1}`, `{"Authorization": "Bearer «auth-header»", "x": 1}`},
		{`{\"Authorization\":\"Bearer ` + f + `\",\"x\":1}`, `{\"Authorization\":\"Bearer «auth-header»\",\"x\":1}`},
		{`req.Header.Set("Authorization", "Bearer ` + f + `")`, `req.Header.Set("Authorization", "Bearer «auth-header»")`},
		{`"GET / HTTP/1.1\r\nAuthorization: Basic ` + f + `\r\nHost: x"`, `"GET / HTTP/1.1\r\nAuthorization: Basic «auth-header»\r\nHost: x"`},
		{"Api-Key: " + f + "\nX-Auth-Token: " + f + "\nX-Access-Token: " + f + "\nX-Goog-Api-Key: " + f, "Api-Key: «auth-header»\nX-Auth-Token: «auth-header»\nX-Access-Token: «auth-header»\nX-Goog-Api-Key: «auth-header»"},
		{"PRIVATE-TOKEN: " + f + "\nJob-Token: " + f + "\nDeploy-Token: " + f, "PRIVATE-TOKEN: «auth-header»\nJob-Token: «auth-header»\nDeploy-Token: «auth-header»"},
		{"Cookie: session=" + f + "; theme=dark\nSet-Cookie: sid=" + f + "; Path=/", "Cookie: session=«auth-header»; theme=dark\nSet-Cookie: sid=«auth-header»; Path=/"},
		{"Cookie: we use them", ""},
		{"git clone https://x-access-token:not-a-real-pw@github.com/o/r.git", "git clone https://x-access-token:«db-url»@github.com/o/r.git"},
		{"git -c http.extraheader='AUTHORIZATION: basic " + f + "' fetch", "git -c http.extraheader='AUTHORIZATION: basic «auth-header»' fetch"},
	})
}

func TestAssignments(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	f := fake(20)
	check(t, plainRules, []sample{
		{"mvn -Dto¦ken=correct-horse-7 -Psec¦ret=correct-horse-7 -Dauthor=correct-horse-7", "mvn -Dtoken=«env-value» -Psecret=«env-value» -Dauthor=correct-horse-7"},
		{"export DB_PASS¦WORD=correct-horse-7-battery\nexport PATH=/usr/bin", "export DB_PASSWORD=«env-value»\nexport PATH=/usr/bin"},
		{"DB_PASS¦WORD = correcthorse\nx", "DB_PASSWORD = «env-value»\nx"},
		{"$env:API_KEY = \"" + f + "\"", "$env:API_KEY = \"«env-value»\""},
		{"CACHE_PASS¦WORD=\"qwe\\\"rtyuiopasdfgh\" state=up", "CACHE_PASSWORD=\"«env-value»\" state=up"},
		{"PASS¦WORD='it has spaces and \"quotes\"' x=1", "PASSWORD='«env-value»' x=1"},
		{"SECRET=12345678x;NEXT=1", "SECRET=«env-value»;NEXT=1"},
		{"(TOKEN=abcdefgh)", "(TOKEN=«env-value»)"},
		{"https://h.example/p?access_token=abcdefgh1&x=1", "https://h.example/p?access_token=«env-value»&x=1"},
		{"TOKEN=abcdefg", ""},
		{"TOKEN=abcdefgh", "TOKEN=«env-value»"},
		{"dbPass¦word=abcdefgh clientSecret=abcdefgh APIKey=abcdefgh api.key=abcdefgh", "dbPassword=«env-value» clientSecret=«env-value» APIKey=«env-value» api.key=«env-value»"},
		{"access_key=abcdefgh private-key=abcdefgh SIGNING_KEY=abcdefgh ENCRYPTION_KEY=abcdefgh ACCOUNT_KEY=abcdefgh MASTER_KEY=abcdefgh", "access_key=«env-value» private-key=«env-value» SIGNING_KEY=«env-value» ENCRYPTION_KEY=«env-value» ACCOUNT_KEY=«env-value» MASTER_KEY=«env-value»"},
		{"passwd=abcdefgh PASSPHRASE=abcdefgh pwd=abcdefgh credential=abcdefgh credentials=abcdefgh auth=abcdefgh", "passwd=«env-value» PASSPHRASE=«env-value» pwd=«env-value» credential=«env-value» credentials=«env-value» auth=abcdefgh"},
		{"PGPASS¦WORD=abcdefgh", "PGPASSWORD=«env-value»"},
		{"author=octocat-example authored_at=2026-03-11T08 keyboard=ctrl+shift+down monkey=capuchin-monkey tokenizer=sentencepiece max_tokens=abcdefghij key=abcdefghij", ""},
		{"output_price_per_token: 2.5e-06\nmax_tokens=131072000\ntokenizer=sentencepiece-unigram\n", ""},
		{"TOKEN=${CI_JOB_TOKEN}\nPASSWORD=\"$DB_PASSWORD\"\nNPM_TOKEN: ${{ secrets.NPM_TOKEN }}\napi_key = os.environ['SERVICE_API_KEY']\nconst token = process.env.GITHUB_TOKEN;\n", ""},
		{"TOKEN=$(gh auth token --hostname x)\nPASSWORD={{ vault.password }}\nSECRET=%MY_SECRET%\nTOKEN=os.getenv(\"MY_TOKEN\")\nTOKEN = ENV[\"MY_TOKEN\"]", ""},
		{"password: '*******'\npassword=********\nsecret=xxxxxxxxxx\ntoken=[MASKED] token=<redacted> token=\"[REDACTED]\"", ""},
		{"TOKEN=true PASSWORD=null SECRET=none AUTH=false PASSWORD=\"\" token=undefined", ""},
		{"TOKEN=1234567890 PASSWORD=-12.5e+10", ""},
		{"{\"password\": \"<your-password>\", \"token\": \"{{ vault_token }}\"}", ""},
		{"token == abcdefghij && password != abcdefghij", ""},
		{"std::auth::password::something", ""},
		{"PWD=/srv/runner1/jobs/repo/repo\nOLDPWD=/srv/runner1/jobs", ""},
		{"Driver={X};UID=sa;PWD={a;b-secret};", "Driver={X};UID=sa;PWD={«env-value»};"},
		{"Server=x;Password={ab;cd}}ef};", "Server=x;Password={«env-value»};"},
		{"SECRET_KEY_BASE=`rails secret` self.password = password", ""},
		{"TOKEN=\"${TOKEN:-default-token-value}\"", "TOKEN=\"${TOKEN:-«env-value»}\""},
		{"token = `abcdefgh`; secret=\"%{SECRET_NAME}\"", "token = `«env-value»`; secret=\"%{SECRET_NAME}\""},
		{"host=h user=u password=abcdefgh1 dbname=x", "host=h user=u password=«env-value» dbname=x"},
		{"{token=abcdefgh, user=octocat}", "{token=«env-value», user=octocat}"},
		{"env:\n  GOFLAGS: -mod=readonly\n  DEPLOY_TOKEN: FAKEexample0FAKEexample0\n", "env:\n  GOFLAGS: -mod=readonly\n  DEPLOY_TOKEN: «env-value»\n"},
		{"2026-03-11T08:14:22.0000000Z   NPM_TOKEN: abcdefgh1\n", "2026-03-11T08:14:22.0000000Z   NPM_TOKEN: «env-value»\n"},
		{"  password: hunterhunter\n", "  password: «env-value»\n"},
		{"error: bad auth: permission denied\ntoken: required\nAuth: successful login\n", ""},
		{`{"log":"TOKEN=abcdefgh1\nNEXT=1"}`, `{"log":"TOKEN=«env-value»\nNEXT=1"}`},
		{`\ntoken=abcdefgh1`, `\ntoken=«env-value»`},
		{"--set auth.password=abcdefgh,auth.user=u", "--set auth.password=«env-value»"},
		{"--set a=b,auth.password=abcdefgh,auth.user=u", "--set a=b,auth.password=«env-value»,auth.user=u"},
		// JSON
		{`{"client_id":"web","client_secret":"` + f + `","scope":"read"}`, `{"client_id":"web","client_secret":"«json-value»","scope":"read"}`},
		{`{"log":"{\"access_token\":\"` + f + `\",\"n\":1}"}`, `{"log":"{\"access_token\":\"«json-value»\",\"n\":1}"}`},
		{`{\\\"access_token\\\":\\\"` + f + `\\\",\\\"n\\\":1}`, `{\\\"access_token\\\":\\\"«json-value»\\\",\\\"n\\\":1}`},
		{`{'password': 'with "double" quotes', 'x': 1}`, `{'password': '«json-value»', 'x': 1}`},
		{`{"password" : "esc\"aped \\", "x": 1}`, `{"password" : "«json-value»", "x": 1}`},
		{`{"a":{"b":[{"api_key":"abcdefgh"}]}}`, `{"a":{"b":[{"api_key":"«json-value»"}]}}`},
		{`{"author":"octocat-example","authored_at":"2026-03-11T08:14:22Z","keyboard":"ctrl+shift+down","monkey":"capuchin-monkey","key":"ctrl+shift+down"}`, ""},
		{`{"token":null,"password":true,"secret":12345678,"auth":[1,2],"credentials":{"a":1}}`, ""},
		{"auth:\n  type: basic\n", ""},
	})
}

func TestDatabaseURLs(t *testing.T) {
	requirement.Claim(t, "SEC-06")
	var samples []sample
	for _, scheme := range databaseSchemes {
		samples = append(samples, sample{"x " + scheme + "://app:s3cr3t-fake@db:5432/app?sslmode=require y", "x " + scheme + "://app:«db-url»@db:5432/app?sslmode=require y"})
	}
	check(t, plainRules, append(samples, []sample{
		{"redis://:s3cr3t-fake@cache:6379/0", "redis://:«db-url»@cache:6379/0"},
		{"mysql://a:x1@h1/d to mysql://b:x2@h2/d", "mysql://a:«db-url»@h1/d to mysql://b:«db-url»@h2/d"},
		{"mysql://a:x1@h1/d,mysql://b:x2@h2/d", "mysql://a:«db-url»@h1/d,mysql://b:«db-url»@h2/d"},
		{"postgres://u:p@ss:w/rd@h/d", "postgres://u:«db-url»@h/d"},
		{"postgres://u:pw@h/d?email=a@b", "postgres://u:«db-url»@h/d?email=a@b"},
		{"mongodb://u:pw@h1:27017,h2:27017/d", "mongodb://u:«db-url»@h1:27017,h2:27017/d"},
		{"\"postgres://u:pw-fake@h/d\" 'mysql://u:pw-fake@h' <redis://:pw-fake@h> `amqp://u:pw-fake@h`", "\"postgres://u:«db-url»@h/d\" 'mysql://u:«db-url»@h' <redis://:«db-url»@h> `amqp://u:«db-url»@h`"},
		{"postgres://db:5432/app postgres://user@host/app redis://cache:6379/0", ""},
		{"postgres://localhost:5432/app?user=a@b.c redis://cache:6379/0@latest mysql://h:3306/d?user=a@b.c amqp://rabbit:5672/@vhost", ""},
		{"mongodb://h1:27017,h2:27017/d?x=a@b postgres://h/d?user=a:b@c postgres:\\/\\/h:5432\\/d@x postgres://h_1:5432#a@b", ""},
		{"postgres://u:123456/7@h/d postgres://u:5432@h/d postgres://u:5432x/7@h/d", "postgres://u:«db-url»@h/d postgres://u:5432@h/d postgres://u:«db-url»@h/d"},
		{"mysql://h1:3306/a,mysql://b:y-fake@h2/d", "mysql://h1:3306/a,mysql://b:«db-url»@h2/d"},
		{"postgres://app:${PGPASSWORD}@db/app postgres://app:$PGPASSWORD@db/app https://user:$PASSWORD@host.example/", ""},
		{"postgres://app:***@db/app postgres://app:<password>@db/app", ""},
		{"https://user:pw-fake@host/x ssh://git:pw-fake@h ftp://u:pw-fake@h/", "https://user:«db-url»@host/x ssh://git:«db-url»@h ftp://u:«db-url»@h/"},
		{"https://host:8080/path@x https://host/a:b@c git+ssh://git@h/x", ""},
		{`"postgres:\/\/u:pw-fake@h\/d"`, `"postgres:\/\/u:«db-url»@h\/d"`},
		{`\npostgres://u:pw-fake@h`, `\npostgres://u:«db-url»@h`},
	}...))
}

func TestRegistered(t *testing.T) {
	requirement.Claim(t, "SEC-01")
	for _, tc := range []struct {
		credentials []string
		samples     []sample
	}{
		{[]string{"sk-live7", "sk-live7-12345"}, []sample{{"a sk-live7-12345 b sk-live7 c", "a «registered» b «registered» c"}}},
		{[]string{"sk-live7-12345", "sk-live7"}, []sample{{"a sk-live7-12345 b sk-live7 c", "a «registered» b «registered» c"}}},
		{[]string{"opqrstuZ", "Zhighlyx"}, []sample{{"a opqrstuZhighlyx b", "a «registered» b"}}},
		{[]string{"secret-77", "redacted"}, []sample{{"value redacted and secret-77 here", "value «registered» and «registered» here"}, {"[REDACTED-secret.github] redacted", "[REDACTED-secret.github] «registered»"}}},
		{[]string{"REDACTED-secret"}, []sample{{"a REDACTED-secret b [REDACTED-secret.github] c", "a «registered» b [REDACTED-secret.github] c"}}},
		{[]string{"line-one-FAKE\nline-two-FAKE\n{\n"}, []sample{{"first: line-one-FAKE\nother {\nsecond: line-two-FAKE\n", "first: «registered»\nother {\nsecond: «registered»\n"}, {"line-one-FAKE\nline-two-FAKE\n{ x", "«registered» x"}}},
		{[]string{"registered-fake-88\n"}, []sample{{"pw registered-fake-88 end", "pw «registered» end"}}},
		{[]string{"fa\"ke\\pass-99"}, []sample{{`sent {"p":"fa\"ke\\pass-99"} ok`, `sent {"p":"«registered»"} ok`}}},
		{[]string{"registered-fake-value"}, []sample{
			{"echo: cmVnaXN0ZXJlZC1mYWtlLXZhbHVlCg== done", "echo: «registered»Cg== done"},
			{"basic dTpyZWdpc3RlcmVkLWZha2UtdmFsdWU= done", "basic dT«registered» done"},
			{"x-registered-fake-valuex", "x-«registered»x"},
		}},
		{[]string{"fake pass/wörd+1"}, []sample{
			{"a=fake%20pass%2Fw%C3%B6rd%2B1&b", "a=«registered»&b"},
			{"a=fake+pass%2fw%c3%b6rd%2b1&b", "a=«registered»&b"},
			{`a "fake pass/w\u00f6rd+1" b`, `a "«registered»" b`},
		}},
		{[]string{"p@ss w0rd/x?~1"}, []sample{
			{"p%40ss%20w0rd/x%3F~1 p%40ss+w0rd%2Fx%3F%7E1 p@ss%20w0rd/x?~1 p@ss%20w0rd%2fx%3f~1", "«registered» «registered» «registered» «registered»"},
			{"%70%40%73%73%20%77%30%72%64%2f%78%3f%7e%31", "«registered»"},
		}},
		{[]string{"aaaaaaaa"}, []sample{{strings.Repeat("a", 50), "«registered»"}, {"aaaaaaa aaaaaaaaa", "aaaaaaa «registered»"}}},
	} {
		t.Run(fmt.Sprint(tc.credentials), func(t *testing.T) { check(t, New(tc.credentials), tc.samples) })
	}
}

func TestStepBudget(t *testing.T) {
	d := plainRules.NewDetector()
	text := []byte("DB_PASSWORD=correct-horse")
	d.Reset(text)
	d.budget = 0
	for k, p := range plainRules.Patterns() {
		if p.At(text, 3) {
			d.At(k, 3)
		}
	}
	if !d.Exhausted() || d.Spans() != nil {
		t.Error("rules went on behind the budget")
	}
	d.Reset(text)
	if d.Exhausted() {
		t.Error("a new text starts with the budget of the last")
	}
}
