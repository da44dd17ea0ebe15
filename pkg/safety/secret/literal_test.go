package secret

import (
	"strings"
	"testing"

	"snapline/pkg/requirement"
)

// The quote behind "token: " ends a string literal if the line says so; what is joined
// to the literal is the value.
func TestNamesInLiterals(t *testing.T) {
	requirement.Claim(t, "SEC-04", "SEC-05")
	check(t, plainRules, []sample{
		{`console.log("token: ", token)`, ""},
		{`"password=" + password + "&token=" + token`, ""},
		{`'password=' + password + '&token=' + token`, ""},
		{`fmt.Println("token:", token, "secret:", secret)`, ""},
		{`log.info("password: " + mask(password)); url = base + "?token=" + encodeURIComponent(token)`, ""},
		{`'token: ' + token + ' is invalid'`, ""},
		{`$s .= "access_token: " . $this->format($this->access_token) . "\n";`, ""},
		{`os << "password: " << password << "\n";`, ""},
		{`read -rs -p "Password: " password`, ""},
		{`if (key === "password:" || key === "token:") {`, ""},
		{`headers.append("X-Api-Key: " + apiKeyOfTheUser)`, ""},
		{`assert "Password:" in prompt and "token=" not in prompt`, ""},
		{"- `token:` option renamed to `authToken:`\n`password:` and `token:` are options", ""},
		{"cmd.Env = append(os.Environ(), \"DB_PASSWORD=\"+password, \"GOROOT=\"+root)", ""},
		{`print('%-12s %s' % ('Secret:', response.secret))`, ""},
		{`{"log":"sent \"token: \" + token_of_user"}`, ""},
		{`'{"password":"' + password_of_user + '"}'`, ""},
		{`"{\"token\":\"" + token_of_user + "\"}"`, ""},
		{`"password='" + password_of_user + "'"`, ""},
		{`-d '{"password":"'"$PASSWORD_OF_USER"'"}'`, ""},
		// The choices of a condition.
		{`h = proxy ? 'Proxy-Authorization' : 'Authorization'; t = isToken ? "token" : "password"; u = ok ? "token" : "anonymous"`, ""},
		{`f?"pass¦word": "correct horse"`, `f?"password": "«json-value»"`},
		// The literal behind it is the value.
		{`"pass¦word=" + "correct-horse-7"`, `"password=" + "«env-value»"`},
		{`url = '?tok¦en=' + 'correct-horse-7' + '&x=1'`, `url = '?token=' + '«env-value»' + '&x=1'`},
		{`"pass¦word=" . 'correct-horse-7';`, `"password=" . '«env-value»';`},
		{`"X-Api-¦Key: " + "correct-horse-7"`, `"X-Api-Key: " + "«auth-header»"`},
		{`-d 'pass¦word='"correct-horse-7"`, `-d 'password='"«env-value»"`},
		// Quotes that open a value, whatever stands before.
		{`export PASS¦WORD="correct horse" X='y'`, `export PASSWORD="«env-value»" X='y'`},
		{`don't say pass¦word="correct horse"`, `don't say password="«env-value»"`},
		{`the users' pass¦word='correct horse'`, `the users' password='«env-value»'`},
		{`5" disk, pass¦word="correct horse"`, `5" disk, password="«env-value»"`},
		{`msg="failed" pass¦word="correct horse" tok¦en='correct horse'`, `msg="failed" password="«env-value»" token='«env-value»'`},
		{`f("a", 'b', pass¦word="correct horse")`, `f("a", 'b', password="«env-value»")`},
		{`"unclosed pass¦word="correct horse"`, `"unclosed password="«env-value»"`},
		{`echo "pass¦word=\"correct horse\" x"`, `echo "password=\"«env-value»\" x"`},
		{`echo "pass¦word='correct horse' x"`, `echo "password='«env-value»' x"`},
		{`"""pass¦word: "correct horse" """`, `"""password: "«env-value»" """`},
		{`sh -c 'curl -d "{\"pass¦word\":\"correct horse\"}"'`, `sh -c 'curl -d "{\"password\":\"«json-value»\"}"'`},
		{`a = r"\d" ; tok¦en = b"correct horse"`, `a = r"\d" ; token = b"«env-value»"`},
		{"text = \"it ends\nhere\" pass¦word: 'correct horse'", "text = \"it ends\nhere\" password: '«env-value»'"},
	})
}

// What stands beside code, in calls that only hold it, in other quotes or on other lines,
// is a value too.
func TestLiteralsBesideCode(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	const v, r = `"correct-horse-7"`, `"«env-value»"`
	var samples []sample
	for _, code := range []string{
		`tok¦en = process.env.TOKEN || %s`, `tok¦en = process.env.TOKEN ?? %s;`, `pass¦word = ENV['P'] || %s`, `tok¦en = cfg.token or %s`,
		`$secret = getenv("S") ?: %s;`, `tok¦en = os.getenv("TOKEN", %s)`, `pass¦word: ENV.fetch("P",%s),`, `'pass¦word' => env('DB_PASSWORD', %s),`,
		`SECRET_¦KEY = config("SECRET_KEY", default=%s)`, `tok¦en = "" if prod else %s`, `pass¦word = prefix + %s`, `tok¦en = isProd ? process.env.T : %s;`,
		`tok¦en = (cfg.token or %s).strip()`, `tok¦en = new String(%s);`, `tok¦en = String::from(%s);`, `tok¦en = Secret::new(%s.into())`, `pass¦word=SecretStr(%s)`,
		`tok¦en = %s + suffix`, `tok¦en = ""%s""`, `tok¦en = $%s`, `tok¦en = $@%s`, `tok¦en = @%s;`, `tok¦en = rb%s`, `tok¦en = r#%s#`, `pass¦word: !!str %s`, `pass¦word: &a %s`,
		"pass¦word:\n  %s\nnext: 1",
	} {
		samples = append(samples, sample{strings.ReplaceAll(code, "%s", v), strings.ReplaceAll(code, "%s", r)})
	}
	check(t, plainRules, append(samples, []sample{
		{`tok¦en = $"correct horse {x} battery 7"; tok¦en = @"correct horse"`, `token = $"«env-value»"; token = @"«env-value»"`},
		{"tok¦en = \"\"\"\ncorrect-horse\n\"\"\"\ntok¦en = '''correct horse'''", "token = \"\"\"\n«env-value»\n\"\"\"\ntoken = '''«env-value»'''"},
		{"a:\n  pass¦word: |\n    correcthorse\n    battery-staple\n  next: correct-horse-7", "a:\n  password: |\n    «env-value»\n    «env-value»\n  next: correct-horse-7"},
		{"pass¦word: >-\n  correct-horse-7\npass¦word:\n  correct-horse-7\npass¦word: &a correct-horse-7\n**pass¦word:** correct-horse-7", "password: >-\n  «env-value»\npassword:\n  «env-value»\npassword: &a «env-value»\n**password:** «env-value»"},
		{`tok¦en = f(pass¦word="correct horse") || "correct-horse-8"`, `token = f(password="«env-value»") || "«env-value»"`},
		{`tok¦en = "correct-" + "horse-7x"`, `token = "«env-value»" + "«env-value»"`},
		// Names that are values themselves, beside which theirs stand.
		{"- name: DB_PASS¦WORD\n  value: correct-horse\n- name: \"DB_PASS¦WORD\"\n  value: 'correct horse'\n- name: Author¦ization\n  value: Bearer correct-horse-0", "- name: DB_PASSWORD\n  value: «env-value»\n- name: \"DB_PASSWORD\"\n  value: '«env-value»'\n- name: Authorization\n  value: Bearer «auth-header»"},
		{`{"name":"Author¦ization","value":"Bearer correct-horse"} {"key": "db_pass¦word", "value": "correct-horse"} {\"name\":\"tok¦en\",\"value\":\"correct-horse\"}`, `{"name":"Authorization","value":"Bearer «auth-header»"} {"key": "db_password", "value": "«json-value»"} {\"name\":\"token\",\"value\":\"«json-value»\"}`},
		{"  name  = \"DB_PASS¦WORD\"\n  value = \"correct-horse\"", "  name  = \"DB_PASSWORD\"\n  value = \"«env-value»\""},
		{"- name: DB_PASSWORD\n  valueFrom:\n    a: db-words-1\n- name: DB_PASSWORD\n  value: $(X_PASSWORD)\n- name: \"auth\"\n  value: as you like it", ""},
		{`[{"name":"token","value":[1,2]},{"name":"x","value":"correct-horse"},{"rename":"token","value":"correct-horse"},{"name":"token","values":"correct-horse"}]`, ""},
		// A text in quotes that ends with the whole, behind which another name is judged.
		{"x_tok¦en=tok¦en=a\", ", ""},
		{"tok¦en=tok¦en=`tok¦en=tok¦en", "token=token=`token=token"},
		// Literals that say what is read, or are shown.
		{`token = t("login.password", "Enter the password"); token = fetch("https://api.example/v1") or "none"`, ""},
		{`token = headers.get("Authorization") or headers.get("authorization_v2"); token = base + "/v1/tokens/7"`, ""},
		{`token_type = opts.type || "bearer-7-x"; token = a.b("name7x7x7", "horse7777"); log("token: " + token + " for user7")`, ""},
		{`PASSWD = getpass("Password for %s on %s: " % (user, f(host or "localhost-7")))`, ""},
		{`{"password": "x1", "other": cond || "correct-horse-7"}`, ""},
		{"secret_help = \"\"\"\nHow to use it\n\"\"\"\ndef f() -> \"PrivateKey\":\n    \"\"\"Gives the key of it.\"\"\"", ""},
		{"**Token:** see the manual\nauth:\n  \"username1\": bob\nauth:\n  username1234:\n    x: y\nrun-token: |\n  echo hello\n  make something", ""},
		{"auth:\n  readToken7(x)\ntoken:\ncorrect-horse-7\n  password: |\n correct-horse-7", ""},
	}...))
}
