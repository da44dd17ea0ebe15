package secret

import (
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
