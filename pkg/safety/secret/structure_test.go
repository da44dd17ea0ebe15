package secret

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/requirement"
)

// Code is not rewritten: what reads a value from somewhere is none, and of lists and
// objects only the texts go.
func TestCodeBehindNames(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		// Objects.
		{`{"volumes":[{"name":"tls","secret":{"secretName":"tls","defaultMode":420}}]}`, ""},
		{`{"properties":{"password":{"description":"pw","type":"string","minLength":8}}}`, ""},
		{`{"auth":{"username":"bob"},"credentials":[{"identifier":1}],"token":{"expiresIn":3600}}`, ""},
		{`{'token': {'expiresIn': 3600}, 'auth': {'username': 'bob'}}`, ""},
		{`{"log":"{\"secret\":{\"secretName\":\"tls\"}}"}`, ""},
		{`credentials = {"username": username}`, ""},
		{"auth = {\n  username: \"bob\"\n}\ncredentials: {username: 'bob'}", ""},
		{`{"auth":{"username":"bob","pass¦word":"correct-horse-7"}}`, `{"auth":{"username":"bob","password":"«json-value»"}}`},
		{`auth={"username":"bob","pass¦word":"correct-horse-7"}`, `auth={"username":"bob","password":"«json-value»"}`},
		// Lists and tuples.
		{`{"password":["required","min:8"],"token":["IDENT_NAME","x"],"auth":[]}`, ""},
		{`'password' => ['required', 'between:8,64'], 'token' => [:a, :b]`, ""},
		{`secret_names = ["DB_PASSWORD", "API_KEY", "TOKEN_V2_NAME"]`, ""},
		{`PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]`, ""},
		{"requests.get(url, auth=(username, password))\nauth = (\"username\", password_of_user)\nauth=(username,\n  password)", ""},
		{"token_variants = ['+i6t-not-inline', '+i6t-inline']; auth_hosts = {\"a\": [\"us-east-1.example\"]}", ""},
		{"pass¦word = [\n  'correct-horse-7',\n]\ntok¦en = (\n    \"FAKEexample0.\"\n    \"FAKEexample1.\"\n)", "password = [\n  '«env-value»',\n]\ntoken = (\n    \"«env-value»\"\n    \"«env-value»\"\n)"},
		{`{"pass¦word":["correct-horse-7","b"]}`, `{"password":["«json-value»","b"]}`},
		{`requests.get(url, auth=("bob", 'correct-horse-7'))`, `requests.get(url, auth=("bob", '«env-value»'))`},
		{`PASS¦WORD = {"correct-horse-7", 'correct-horse-8'}`, `PASSWORD = {"«env-value»", '«env-value»'}`},
		{`{\"tok¦en\":[\"correct-horse-7\",\"correct-horse-8\"]}`, `{\"token\":[\"«json-value»\",\"«json-value»\"]}`},
		// Composite literals, macros, functions.
		{"token := yaml_token_t{\nsecret := corev1.Secret{\ncredentials := &aws.Credentials{\ntoken := jwt.Token{Raw: raw}\ntoken := pair.Token{a, b}\n\tAuth: []ssh.AuthMethod{\ntoken := struct{}{}", ""},
		{"var tokenTests = []struct {\nvar isTokenTable = [256]bool{\ntokenIndex := [...]uint8{0, 1}\nq.readSecret = map[string]suiteSecret{}\nsecrets := map[string]int{\"a\": 1}", ""},
		{`tok¦en := [2]string{"correct-horse-7", "b"}; secret := map[string]string{"pass¦word": "correct-horse-7"}`, `token := [2]string{"«env-value»", "b"}; secret := map[string]string{"password": "«json-value»"}`},
		{"token = format!(\"Bearer {}\", tok)\ntoken = vec![0u8; 32]\ntoken := matches!(a, B)\ntoken = serde_json::from_str::<Token>(&raw)?", ""},
		{"fetch(u, {credentials: 'same-origin'})\nx.onToken = function (t) {\n\"onToken\": function (\ntoken = $\"Bearer {tok}\"", ""},
		{"DB_PASS¦WORD=abcdefgh{\nDB_PASS¦WORD=abc!(horse)x\npass¦word: horse{battery}\nPASS¦WORD=[ab]horse{7}", "DB_PASSWORD=«env-value»\nDB_PASSWORD=«env-value»)x\npassword: «env-value»\nPASSWORD=«env-value»"},
		// Calls, subscripts, members.
		{`secret := []byte(os.Getenv("JWT_SECRET")); secret := []byte(cfg.Secret); password := []byte(userInput)`, ""},
		{`secret := []byte("correct-horse")`, `secret := []byte("«env-value»")`},
		{`token = (os.environ.get("GH_TOKEN") or "").strip()`, ""},
		{`token = data["access_token"]; token = config['token_value']; $password = $_POST["password"]; $password = $_ENV['DB_PASSWORD'];`, ""},
		{`token = resp.Data["token"].(string); password = credentials[:password]; token = line[start:end]`, ""},
		{"token = fmt.Sprintf(\"%s:%s\", a, b); private_key = load_pem_private_key(\n  data)\ntoken = self.client.request(a,\n b)", ""},
		{"auth_token = random_password.redis.result\nsecret_id = aws_secretsmanager_secret.db.id\npassword = var.db_password", ""},
		{"connect(credentials=target_credentials, password=password)\n  token=access_token,\n{\"password\": password, 'token': accessToken}", ""},
		{"token = accessToken; secret = this.secretOfClient;", ""},
		{"Line{Token: tokens[1:], X: 1}; tokens = {Kind:{AT_KEYWORD:0, CDC:1}}; x = T{PrivateKey: []byte{1}}", ""},
		{"headers = {\"Authorization\": `Basic ${Buffer.from(`${user_name}:${pass_word}`).toString('base64')}`}", ""},
		{"password = \"#{ENV[\"DB_PASSWORD\"]}\"; token = f\"{read_token(path_of_token)}\"", ""},
		// Options in a list of Markdown, and what a program is about to do.
		{"- `token`: Personal access token\n- `token`: Mandatory.\n- `password`: Required\n- `password`: Required when x\n- `auth-token`: Optional. The token", ""},
		{"- `DB_PASS¦WORD`: correct-horse-7\n- `pass¦word`: correct-horse-7\n- `tok¦en`: \"correct horse\"", "- `DB_PASSWORD`: «env-value»\n- `password`: «env-value»\n- `token`: \"«env-value»\""},
		{"aws_secretsmanager_secret.db: Creating...\nrandom_password.db: Reading...\nvault_generic_secret.x: Destroying...", ""},
		{"random_pass¦word.db: creating...\ntok¦en: Creating....", "random_password.db: «env-value»\ntoken: «env-value»"},
		// Members, operators, types, arguments.
		{"token = req.body?.token; token = result?.Token ?? \"\"; token = user!.token!; password = passwordField.text!", ""},
		{"token = !!req.user; token = !tokens.isEmpty(); password = string.Empty; password = PropTypes.string.isRequired", ""},
		{"secret = char.class; n_token = tokens.length; x_token = TokenType.BEARER\nAPI_TOKEN: string[]\nexports.TOKEN = exports.STRICT_TOKEN = exports.X", ""},
		{"f(token=tokens[0], x)\nf(key_password=certs[0][2], x)\nf(t_token=strings.Split(line, \":\")[1])\nf(password={k: v for k, v in x})\nx(auth=list[T] | None)", ""},
		{"print(f\"password={password!r}\")\nprint(f\"secret={secret[:2]}\")\npassword: !ImportValue db-secret", ""},
		{"DB_PASSWORD=secrets.DB_PASSWORD\nDB_PASSWORD=var.db_password\nif token==abcdefghij:\nif [[ $TOKEN =~ ^gh.* ]]\n{TOKEN=>abcdefghij}", ""},
		// Near misses: a variable of the environment is followed by text.
		{"DB_PASS¦WORD=this.is.my.pw\nexport DB_PASS¦WORD=github.token.FAKE99\nDB_PASS¦WORD=config.password7!", "DB_PASSWORD=«env-value»\nexport DB_PASSWORD=«env-value»\nDB_PASSWORD=«env-value»"},
		{"DB_PASS¦WORD=~horse77xx\nDB_PASS¦WORD==horse77xx\nDB_PASS¦WORD=>horse77xx\nDB_PASS¦WORD={horse77xx\nDB_PASS¦WORD=horse77(\nDB_PASS¦WORD=horse77[", strings.Repeat("DB_PASSWORD=«env-value»\n", 5) + "DB_PASSWORD=«env-value»"},
		{"pass¦word = horse.battery; pass¦word = horse!battery[; pass¦word={horse77!x}", "password = «env-value»; password = «env-value»; password={«env-value»}"},
		// Declarations.
		{`var dbPass¦word string = "correct-horse"; dbPass¦word: string = 'correct-horse'; pass¦word?: string | null = "correct-horse"`, `var dbPassword string = "«env-value»"; dbPassword: string = '«env-value»'; password?: string | null = "«env-value»"`},
		{`const DB_PASS¦WORD: &str = "correct-horse"; const DB_PASS¦WORD: &'static str = "correct-horse"; char tok¦en[] = "correct-horse";`, `const DB_PASSWORD: &str = "«env-value»"; const DB_PASSWORD: &'static str = "«env-value»"; char token[] = "«env-value»";`},
		{"**Pass¦word**: correct-horse-7\n*pass¦word*: correct-horse-7\n**Token**: see the manual", "**Password**: «env-value»\n*password*: «env-value»\n**Token**: see the manual"},
		{`the token value = "correct-horse"; var token string = os.Getenv("X_TOKEN"); token: string = readToken()`, ""},
		// Sums, calls with types, methods, texts of several lines.
		{"token = self.n+len(self.tokens)\nlocal token = lexer:next_token()\nauto token = std::make_unique<ast::Token>(TokenType::Identifier);\ntoken = static_cast<Token*>(x);", ""},
		{"token_pattern = re.compile(r\"\"\"\nSECRET_NOTE = textwrap.dedent('''\npassword = self._users[ auth_dict[\"username\"] ]", ""},
		{"PASS¦WORD=correct+horse(7)\nPASS¦WORD=correct:horse(7)\npass¦word = correct+horse7\npass¦word = correcthorse<Horse>7", "PASSWORD=«env-value»)\nPASSWORD=«env-value»)\npassword = «env-value»\npassword = «env-value»<Horse>7"},
		{"passwd = getpass.getpass(\"Enter password for %s: \" %\n  x)\nkms_encryption_key = (src.kmsKeyName\n  or x)\ntoken += nextchar\nthis.$textToken={text:!0,rparen:!1}", ""},
		{"pass¦word = (correct_horse\ntok¦en += correct7horse\nTOK¦EN+=correcthorse\nPwd={correct:horse}", "password = «env-value»\ntoken += «env-value»\nTOKEN+=«env-value»\nPwd={«env-value»}"},
		// Choices, conditions, brackets that go on.
		{"token = Name.Class if x else Name.Function\nconst auth = !er.headers || x\nretry_token_count=retry_count + 1,", ""},
		{"token_uri = (params.token_uri or\n  x)\nproxy_auth = (encoding.Decode(self.user),\n  x)\nf(x, token_history=[last_token], y)", ""},
		{"pass¦word = correct.horse if asked\npass¦word = !correct.horse\nx_tok¦en = correct_horse + 1\npass¦word = (correct-horse\npass¦word = [correct_horse]\nx_tok¦en = correct_horse + horse", "password = «env-value» if asked\npassword = «env-value»\nx_token = «env-value» + 1\npassword = «env-value»\npassword = «env-value»\nx_token = «env-value» + horse"},
		// Calls, brackets and literals that go on, types with brackets.
		{"credentials = self._generate(  # type: ignore\n  x)\npasswd = getpass.getpass(\"Password for %s: \" %\n  x)\nkey_secret = testingKey(`\nx`)\nSecretCallback = Callable[[int, bool], bytes]\nf(\n  auth=(provider['config']['client-id'],\n  x))", ""},
		{"precommit_token: 'SomeType' = proto.Field(\nself.token: 'Token' = None", ""},
		{"pass¦word: 'correct-horse' = x\npass¦word = correcthorse(  # 7\nPASS¦WORD=correct-horse[[7]", "password: '«env-value»' = x\npassword = correcthorse(  # 7\nPASSWORD=«env-value»"},
		{`printf("password=%s\nuser=%s\n", p); x = "token = {:?}\nname={}"; y = "password=$pw\nlogin=$user_name"`, ""},
		{`x = "pass¦word=ho%rse\nuser7"; x = "tok¦en=correct-horse\nuser"; x = "pass¦word=$pw-horse\nuser"`, `x = "password=«env-value»"; x = "token=«env-value»\nuser"; x = "password=«env-value»\nuser"`},
		// A literal that a field to be filled in ends.
		{`print("Access token: {0}".format(credentials.access_token)); log('    password = {0}'.format(`, ""},
		// What describes a constant.
		{"AUTH_TYPE_UNSPECIFIED: Authentication is not specified.\nPASSWORD_STATE: Password was never set", ""},
		{"DB_PASS¦WORD: Correcthorse and more\nAUTH_TYPE: Authentication\nAUTH_TYPE: Correct7horse is\nTOK¦EN_VALUE: correcthorse is", ""},
		// Names of resources.
		{"x [id=arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AbCdEf|terraform-20240101000000000001]", ""},
		{"f\"arn:aws:secretsmanager:{region}:{account_id}:secret:db/{id}/auth-0FAKE\"; Arn=arn:*:secretsmanager:*:*:secret:rds-preview-us-east-2!*; <code>arn:aws:secretsmanager:region:account:secret:preview-0123456</code>", ""},
		{"arn:aws:s3:::x,a:tok¦en:correct-horse-battery-7 warn:a:tok¦en:correct-horse-battery-7 a:123456789012:sec¦ret:correct-horse-battery-7", "arn:aws:s3:::x,a:token:«env-value» warn:a:token:«env-value» a:123456789012:secret:«env-value»"},
		{"SECRET_ARN=arn:aws:secretsmanager:us-east-1:123456789012:sec¦ret:db-AbCdEf\n--api-secret-version=projects/p/secrets/s1/versions/1 pass¦word: \"op://vault1/item/field\"", ""},
		{"tok¦en=" + strings.Repeat("arn:", 200) + " tok¦en=projects/secrets/" + strings.Repeat("/secrets/", 80), "token=«env-value» token=«env-value»"},
		{"SECRET_ARN=arn:correct-horse pass¦word=projects/correct-horse", "SECRET_ARN=«env-value» password=«env-value»"},
		{"AUTH_HEADER = \"X-Auth-Token\"\nauth_header: 'Proxy-Authorization'\n.. _generateAccessToken: https://h.example/a/b-7c", ""},
		{"auth_header = \"horse.x-auth-token\"", ""},
		{"type RegisteredCredentials = RegisterForm & {\nkms_master_key_id = aws_kms_key.this.arn\ntoken = \"${data.external.token.result[\"token\"]}\"", ""},
		{"pass¦word = \"correct${b\", \"x\": \"[}\"\nsigning_¦key = correct.horse.arn\npass¦word = correcthorse & more", "password = \"«env-value»\", \"x\": \"[}\"\nsigning_key = «env-value»\npassword = «env-value» & more"},
		{"PASSWORD_REGEX = r'^(?=.*[A-Z]).{8,}$'\ntoken_pattern: \"[a-z]{8,}\"", ""},
		{"pass¦word = '^(?=.*[A-Z]).{8,}$'\nPASS¦WORD_REGEX = 'correct-horse'", "password = '«env-value»'\nPASSWORD_REGEX = '«env-value»'"},
		// What a program says about a value.
		{"newErrors.password = 'Password is required'; {\"password\": \"Please enter your password.\", \"token\": \"Invalid token (expired)\"}", ""},
		{"pass¦word = 'my secret password'; pass¦word = 'horse is required'; pass¦word=password_is_required", "password = '«env-value»'; password = '«env-value»'; password=«env-value»"},
		// Elements of XML.
		{"<pass¦word>correct-horse</pass¦word><apiK¦ey>correct-horse</apiK¦ey>", "<password>«env-value»</password><apiKey>«env-value»</apiKey>"},
		{"<password>${env.DB_PASSWORD}</password> <password>Enter your password</password> <password>correct-horse</token> <tokenType>correct-horse</tokenType> <Keyword>Win32Proj</Keyword>", ""},
		// Patterns.
		{"a = /token=([^&]+)/; token = /token=([^&]+)/; token = qr/abc.*def/; token = %r{abcdefg}; token = /\\Aabcdefgh\\z/.freeze", ""},
		{"tokenRegex = /^gh[ps]_/\nTOKEN = /[a-z]+/g\ngrep -E 'password=|token=|secret='\nsed -i \"s/password=.*/password=/\" file", ""},
		// Files that hold the secret.
		{"GOOGLE_APPLICATION_CREDENTIALS=/var/secrets/google/key.json my_token_file=./secrets/token SSH_AUTH_SOCK=/tmp/ssh-XXXXabcd/agent.1234", ""},
		{`GOOGLE_APPLICATION_CREDENTIALS="/path/to/config.json" {"private_key_path": "/etc/ssl/private/server.pem", 'credentialsFile': '~/.netrc-of-user'}`, ""},
		{"ssh --private-key=~/.ssh/id.pem\n--private-key='/home/me/my_key.pfx' private_key: certs/server.key GOOGLE_APPLICATION_CREDENTIALS=key.json", ""},
		{"api_key=/correct/horse.txt pass¦word=correct-horse.pem", ""},
		{"AWS_CREDENTIALS=/FAKEexample0/FAKEexample0FAKE\nPASS¦WORD=/etc/pass/words.txt", "AWS_CREDENTIALS=«env-value»\nPASSWORD=/etc/pass/words.txt"},
		// Passwords that begin like code.
		{"DB_PASS¦WORD=(x9$kq!pw\nPASS¦WORD=[abc]12345\nPASS¦WORD={abc}12345\nPASS¦WORD=abcdefgh[1]\n", "DB_PASSWORD=«env-value»\nPASSWORD=«env-value»\nPASSWORD=«env-value»\nPASSWORD=«env-value»\n"},
		{"PASS¦WORD=correct.horse.battery PASS¦WORD=/correct/horse/battery PASS¦WORD=|correct-horse", "PASSWORD=«env-value» PASSWORD=/correct/horse/battery PASSWORD=«env-value»"},
		{"PASS¦WORD=access_token\npass¦word: mypassword", "PASSWORD=«env-value»\npassword: «env-value»"},
		// Text on the next line, maps on one line.
		{"{\"pass¦word\":\n\"correct-horse-7\"}\n{\"pass¦word\" :\n    'correct-horse-7'}", "{\"password\":\n\"«json-value»\"}\n{\"password\" :\n    '«json-value»'}"},
		{"{\"pass¦word\"\n  : \"correct-horse-7\"}", "{\"password\"\n  : \"«json-value»\"}"},
		{"{tok¦en: correct-horse-7, b: 1}\n{a: 1, tok¦en: FAKE1234FAKE}", "{token: «env-value», b: 1}\n{a: 1, token: «env-value»}"},
		{"{token: accessToken, b: 1}\n{a: 1, token: readToken()}", ""},
	})
}

func TestHeadersInLists(t *testing.T) {
	requirement.Claim(t, "SEC-04")
	f := fake(28)
	check(t, plainRules, []sample{
		{`{"Author¦ization":["Bearer ` + f + `"],"X-Api-¦Key":["` + f + `"],"Accept":["*/*"]}`, `{"Authorization":["Bearer «auth-header»"],"X-Api-Key":["«auth-header»"],"Accept":["*/*"]}`},
		{`"author¦ization": [ "Basic ` + f + `", "Bearer ` + f + `" ]`, `"authorization": [ "Basic «auth-header»", "Bearer «auth-header»" ]`},
		{`{'Coo¦kie': ['a=` + f + `']}`, `{'Cookie': ['a=«auth-header»']}`},
		{`{\"Author¦ization\":[\"Bearer ` + f + `\"]}`, `{\"Authorization\":[\"Bearer «auth-header»\"]}`},
		{"map[Author¦ization:[Bearer " + f + "] X-Api-¦Key:[" + f + "] Accept:[*/*]]", "map[Authorization:[Bearer «auth-header»] X-Api-Key:[«auth-header»] Accept:[*/*]]"},
		{`http.Header{"Author¦ization": []string{"Bearer ` + f + `"}, "X-Api-¦Key": {"` + f + `"}}`, `http.Header{"Authorization": []string{"Bearer «auth-header»"}, "X-Api-Key": {"«auth-header»"}}`},
		{`{"msg":"sent Author¦ization: Custom abc123 def","status":200}`, `{"msg":"sent Authorization: Custom «auth-header»","status":200}`},
		{`{"log":"{\"msg\":\"sent Author¦ization: Custom abc123 def\",\"status\":200}"}`, `{"log":"{\"msg\":\"sent Authorization: Custom «auth-header»\",\"status\":200}"}`},
		{`"unclosed Author¦ization: Digest username="bob", response="FAKEexample0"`, `"unclosed Authorization: Digest «auth-header»"`},
		{`{"Authorization":[],"X-Api-Key":["$API_KEY_OF_USER"]}`, ""},
		{`allow = ["Authorization", "Content-Type", "X-Api-Key", "Proxy-Authorization"]`, ""},
		{"`Authorization`, `Proxy-Authorization`, `Cookie`, `X-Api-Key`, `X-Auth-Token` are left out", ""},
		{`Set("X-Api-¦Key", "correct-horse-battery")`, `Set("X-Api-Key", "«auth-header»")`},
	})
}

// A tree is what JSON holds: nil, bool, int, string, []any or members.
type members []member

type member struct {
	name  string
	value any
}

var treeNames = []string{"password", "apiKey", "auth", "secret", "credentials", "token", "name", "items", "author", "spec", "max_tokens"}

func randomTree(r *rand.Rand, depth int) any {
	texts := []string{"correct-horse-7", "P@$$w0rd 123", "quote\" and \\ slash 7", "it's 12 o'clock", "letters-only", "", "short", "$TOKEN_NAME", "tab\tand 77 spaces", "[x](y) <z> {12} end"}
	switch n := r.IntN(9); {
	case depth > 0 && n < 3:
		var m members
		for range r.IntN(4) {
			m = append(m, member{treeNames[r.IntN(len(treeNames))], randomTree(r, depth-1)})
		}
		return m
	case depth > 0 && n < 5:
		list := []any{}
		onlyTexts := r.IntN(2) == 0 // texts are looked for near the name
		for range r.IntN(4) {
			e := randomTree(r, depth-1)
			if _, text := e.(string); text == onlyTexts {
				list = append(list, e)
			}
		}
		return list
	case n == 5:
		return []any{nil, true, 12345678, 7}[r.IntN(4)]
	}
	return texts[r.IntN(len(texts))]
}

// withoutSecrets is what redaction has to make of a tree whose member has the name.
func withoutSecrets(tree any, name string, listed bool) any {
	switch v := tree.(type) {
	case members:
		out := make(members, len(v))
		for i, m := range v {
			out[i] = member{m.name, withoutSecrets(m.value, m.name, false)}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			if listed {
				name = "" // only the elements of the list itself have the name
			}
			out[i] = withoutSecrets(e, name, true)
		}
		return out
	case string:
		plain := len(v) < minValue || v == "$TOKEN_NAME" || (listed || name == "auth") && v == "letters-only"
		if secretName([]byte(name)) && !plain {
			return JSONValue.Marker()
		}
	}
	return tree
}

// form is one way of writing a tree.
type form struct {
	colon, comma string
	quote        func(s string) string
	null, truth  string
	indent       bool
}

func (f form) write(b *strings.Builder, tree any, depth int) {
	list := func(open, shut string, n int, each func(i int)) {
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteString(f.comma)
			}
			if f.indent {
				b.WriteString("\n" + strings.Repeat("  ", depth+1))
			}
			each(i)
		}
		if f.indent && n > 0 {
			b.WriteString("\n" + strings.Repeat("  ", depth))
		}
		b.WriteString(shut)
	}
	switch v := tree.(type) {
	case members:
		list("{", "}", len(v), func(i int) {
			b.WriteString(f.quote(v[i].name) + f.colon)
			f.write(b, v[i].value, depth+1)
		})
	case []any:
		list("[", "]", len(v), func(i int) { f.write(b, v[i], depth+1) })
	case string:
		b.WriteString(f.quote(v))
	case nil:
		b.WriteString(f.null)
	case bool:
		b.WriteString(f.truth)
	default:
		fmt.Fprint(b, v)
	}
}

func quoteJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func quotePython(s string) string {
	return "'" + strings.NewReplacer("\\", "\\\\", "\t", "\\t", "'", "\\'").Replace(s) + "'"
}

// TestStructuresStayWellFormed redacts random trees in every form that logs show them
// in: the texts behind secret names go, and no other byte.
func TestStructuresStayWellFormed(t *testing.T) {
	requirement.Claim(t, "SEC-05", "AMB-47")
	forms := map[string]form{
		"minified": {":", ",", quoteJSON, "null", "true", false},
		"spaced":   {": ", ", ", quoteJSON, "null", "true", false},
		"pretty":   {": ", ",", quoteJSON, "null", "true", true},
		"python":   {": ", ", ", quotePython, "None", "True", false},
	}
	r := rand.New(rand.NewPCG(41, 42))
	redacted := 0
	for range 700 {
		tree := members{{treeNames[r.IntN(6)], randomTree(r, 4)}, {"x", randomTree(r, 2)}}
		wanted := withoutSecrets(tree, "", false)
		for name, f := range forms {
			var in, want strings.Builder
			f.write(&in, tree, 0)
			f.write(&want, wanted, 0)
			texts := [][2]string{{in.String(), want.String()}, {"log: " + in.String() + " done", "log: " + want.String() + " done"}}
			if name == "minified" || name == "spaced" { // a text of JSON in JSON, once and twice
				once := [2]string{`{"log":` + quoteJSON(in.String()) + "}", `{"log":` + quoteJSON(want.String()) + "}"}
				texts = append(texts, once, [2]string{`{"log":` + quoteJSON(once[0]) + "}", `{"log":` + quoteJSON(once[1]) + "}"})
			}
			for _, text := range texts {
				got, spans := scan(plainRules, text[0])
				redacted += len(spans)
				if got != text[1] {
					t.Fatalf("%s: %s\n got %s\nwant %s", name, text[0], got, text[1])
				}
				if again, _ := scan(plainRules, got); again != got {
					t.Fatalf("%s: %s: a second look changes it to %s", name, got, again)
				}
				if slices.Contains([]string{"minified", "spaced", "pretty"}, name) && strings.HasPrefix(got, "{") && !json.Valid([]byte(got)) {
					t.Fatalf("no JSON any more: %s", got)
				}
			}
		}
	}
	if redacted < 5000 {
		t.Errorf("only %d values were redacted", redacted)
	}
}
