package secret

import (
	"testing"

	"snapline/pkg/requirement"
)

// A reference is pure: a value that only has a $ or a brace in it is a value.
func TestReferences(t *testing.T) {
	requirement.Claim(t, "SEC-05", "SEC-06")
	check(t, plainRules, []sample{
		// Passwords with what begins references.
		{`{"pass¦word":"P@$$w0rd123"}`, `{"password":"«json-value»"}`},
		{`{"pass¦word":"Secret$Sauce!"}`, `{"password":"«json-value»"}`},
		{`{'pass¦word': 'a$bcdefghijkl-mnop'}`, `{'password': '«json-value»'}`},
		{"DB_PASS¦WORD=P@$$w0rd!2024\nPASS¦WORD=Micro$oft123\nPASS¦WORD=abc$def12345", "DB_PASSWORD=«env-value»\nPASSWORD=«env-value»\nPASSWORD=«env-value»"},
		{"pass¦word: \"Pa$$w0rd2024\"\npass¦word: 'Pa$$w0rd2024'\npass¦word: Pa$$w0rd2024", "password: \"«env-value»\"\npassword: '«env-value»'\npassword: «env-value»"},
		{`{"secret":"$2b$10$abcdefghijklmnopqrstuv"}`, `{"secret":"«json-value»"}`},
		{"PASS¦WORD_HASH=$2y$10$FAKEexampleFAKEexample\npass¦word: $6$rounds=5000$FAKEsalt$FAKEhash", "PASSWORD_HASH=$2y$10$FAKEexampleFAKEexample\npassword: «env-value»"},
		{`{"pass¦word":"{bcrypt}$2a$10$FAKE"}`, `{"password":"«json-value»"}`},
		{`{"pass¦word":"x{{y}}zzzzz"}`, `{"password":"«json-value»"}`},
		{"PASS¦WORD=abc%def%ghi12\nPASS¦WORD=100%sure%thing", "PASSWORD=«env-value»\nPASSWORD=«env-value»"},
		{"PASS¦WORD='correct$HORSE'", "PASSWORD='«env-value»'"},
		{"Author¦ization: Bearer abc$defghijklm12345\nX-Api-¦Key: ab$cdefghijklmnop", "Authorization: Bearer «auth-header»\nX-Api-Key: «auth-header»"},
		{"postgres:¦//u:pa$$w0rd@db.example:5432/app postgres:¦//u:Secret$auce@h/d redis:¦//:pa$word@h", "postgres://u:«db-url»@db.example:5432/app postgres://u:«db-url»@h/d redis://:«db-url»@h"},
		{"mongodb+srv:¦//u:My$ecretPw!9@c.example/d https:¦//bob:P@$$w0rd12@h.example/x", "mongodb+srv://u:«db-url»@c.example/d https://bob:«db-url»@h.example/x"},
		{`{"pass¦word":"$ummer2024!"} {"pass¦word":"$tr0ng!Pass"} {"pass¦word":"$horse$battery"} {"pass¦word":"$passw0rd.x"}`, `{"password":"«json-value»"} {"password":"«json-value»"} {"password":"«json-value»"} {"password":"«json-value»"}`},
		{"DB_PASS¦WORD=$ecretPassw0rd!\nAuthor¦ization: Bearer $horse.battery7\nX-Api-¦Key: $horse77@x", "DB_PASSWORD=«env-value»\nAuthorization: Bearer «auth-header»\nX-Api-Key: «auth-header»"},
		{"postgres:¦//u:$horse77@x@h/d postgres:¦//u:p{x}@h/d postgres:¦//u:this.is.my.pw@h/d", "postgres://u:«db-url»@h/d postgres://u:«db-url»@h/d postgres://u:«db-url»@h/d"},
		// Text in quotes is no code.
		{`{"pass¦word":"config.abc123horse"} DB_PASS¦WORD='vars.is.my.pw' {"m":"{\"pass¦word\":\"self.horse77\"}"}`, `{"password":"«json-value»"} DB_PASSWORD='«env-value»' {"m":"{\"password\":\"«json-value»\"}"}`},
		{"pass¦word: \"os.environ-horse\"\npass¦word: 'process.env-horse1'\nDB_PASS¦WORD=os.environ-horse\nAuthor¦ization: Bearer self.horse77", "password: \"«env-value»\"\npassword: '«env-value»'\nDB_PASSWORD=«env-value»\nAuthorization: Bearer «auth-header»"},
		{`{"password":"process.env.DB_PASSWORD"} token: 'ENV["API_TOKEN"]' token: "os.environ/API_TOKEN"`, ""},
		{"password = config.abc123horse; token = self.token_of_job\npassword = github.event.inputs", ""},
		// Openers without an end.
		{"postgres:¦//u:p!$(x@h/d mongodb:¦//u:abc{{x@h/d", "postgres://u:«db-url»@h/d mongodb://u:«db-url»@h/d"},
		{"DB_PASS¦WORD={{correct-horse-7\nDB_PASS¦WORD=<correct-horse-7\nPASS¦WORD=<abc>defghij x", "DB_PASSWORD=«env-value»\nDB_PASSWORD=«env-value»\nPASSWORD=«env-value» x"},
		{"DB_PASS¦WORD=$(correct-horse-7\nDB_PASS¦WORD=${correct-horse-7\n", "DB_PASSWORD=«env-value»\nDB_PASSWORD=«env-value»\n"},
		// The literal for an unset variable is a value.
		{"X_TOK¦EN=${X:-correct-horse-7}\nTOK¦EN=\"${X:=correct-horse-7}\" TOK¦EN='${X-correct-horse-7}'", "X_TOKEN=${X:-«env-value»}\nTOKEN=\"${X:=«env-value»}\" TOKEN='${X-«env-value»}'"},
		{"spring.datasource.pass¦word=${DB_PASS¦WORD:correct-horse-7}", "spring.datasource.password=${DB_PASSWORD:«env-value»}"},
		{`{"tok¦en":"${X:-correct-horse-7}"}`, `{"token":"${X:-«json-value»}"}`},
		{"echo ${DB_PASS¦WORD:-correct-horse-7}", "echo ${DB_PASSWORD:-«env-value»}"},
		{"postgres:¦//u:${PW:-correct-horse-7}@h/d", "postgres://u:${PW:-«db-url»}@h/d"},
		{"TOK¦EN=${TOK¦EN:-} TOK¦EN=${TOK¦EN:-$OTHER_TOK¦EN_NAME} TOK¦EN=${TOK¦EN:?must be set before} TOK¦EN=${TOK¦EN:-$(cat token.txt)}", ""},
		{"password: ${env:DB_PASS¦WORD}\ntoken: ${ssm:/service/long/path}\ntoken: ${self:custom.longer.name}", ""},
		// References.
		{"TOKEN=$CI_JOB_TOKEN\nTOKEN=${CI_JOB_TOKEN}\ntoken=\"$ci_job_token\" token='$token_of_job'", ""},
		{"AUTH=$USER_NAME:$USER_PASSWORD\nauth=\"$user_name:$user_password\"\nAUTH=${USER_NAME}/${USER_PASSWORD}\nAUTH=${USER_NAME}${USER_PASSWORD}", ""},
		{"PASSWORD=prefix-${DB_SUFFIX}\nPASSWORD=prefix-$DB_SUFFIX\nTOKEN=\"Bearer $token_of_job\"\nTOKEN=\"v1${VERSION}\"", ""},
		{"TOKEN=$(cat token.txt)\nTOKEN=$(aws secretsmanager get-secret-value \\\n  --secret-id x)\nTOKEN=\"$(some-long-command --flag \\\n x)\"", ""},
		{"token: ${{ secrets.NPM_TOKEN }}\ntoken: {{ vault_token }}\npassword: \"{{ lookup('env', 'X') }}\"\npassword: '{{.Values.password}}'", ""},
		{"set TOKEN=%CI_JOB_TOKEN%\npassword=\"%(db_password)s\" password = f\"{settings.db_password}\" auth = f'{user_name}:{user_password}'", ""},
		{"password = #{ENV['DB_PASSWORD']}\npassword: <%= ENV[\"DB_PASSWORD\"] %>", ""},
		{`"token": "$request.header.x-api-key", "token": "$context.authorizer.token"`, ""},
		{`"token": "$data.token", 'secret': '$values.secret_key', "auth": "$user_name@$user_password"`, ""},
		{"$auth_list = [$auth_list] unless ref $x\nmy $auth_list = $response->{headers}(lc $auth_header);", ""},
		{"my $password = $ENV{DB_PASSWORD};\nset(TOKEN \"$ENV{GITHUB_TOKEN}\")\ntoken = \"$ENV{GITHUB_TOKEN}\"", ""},
		{"$password = $this->password_value;\n$password = \"$this->password_value\";", ""},
	})
}

func TestMasks(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{"  + password = (sensitive value)\n      ~ token = (sensitive value) -> (known after apply)\n  password: (sensitive value)", ""},
		{"password=[secure] token=[SECURE] {\"password\":\"(sensitive value)\"}", ""},
		{"token: XXXX-XXXX-XXXX\n\"token\": \"xxxx xxxx xxxx\"\npassword=****-****-****", ""},
		{"token: __TOKEN_NAME__\npassword: \"@@PASSWORD@@\"\npassword=@DB_PASSWORD@\nTOKEN=!TOKEN_NAME!", ""},
		{"token: ghp_****\nkey: api_key: \"...redacted...\"\nsecret=sk-****abcd", ""},
		{"password: *default_password\npassword: \"<your password>\"\ntoken=<your-token-here>", ""},
		{"token_ttl: 720h0m0s\nTOKEN_TTL=15m30s500ms\n\"tokenExpiry\": \"1.5h\"\nToken x = String(\"-Infinity\")", ""},
		{`{"tokenExpirationTime": "2022-03-16T03:45:09+00:00", "password_changed": "2022-03-16 03:45:09.123Z"}`, ""},
		{`{"pass¦word": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"} password=NOT_LOGGING_PASSWORD token: REDACTED_TOKEN {"update_password": "on_create"}`, ""},
		// Numbers of versions, and of 32 bits.
		{"{\"next-auth\": \"^4.24.11\", \"x-token\": \">=5.0.0-beta.25 <6.0.0\", \"auth\": \"~10.20.30 || v11.0.0-rc1\"}\nAUTH_VERSION: v1.22.3-beta\nsecret-service = \"3.0.0-alpha.1\"\nauth: 2.20.162", ""},
		{"KEY_REQUEST_TOKEN = 0xc0506617", ""},
		{"pass¦word=1.2.3-horse tok¦en=^12345678x tok¦en=v1.2.horse7 tok¦en=1.2.3-beta.horse pass¦word=v12345-beta tok¦en=0xc0506617a tok¦en=0xhorse77", "password=«env-value» token=«env-value» token=«env-value» token=«env-value» password=«env-value» token=«env-value» token=«env-value»"},
		// Near misses.
		{"pass¦word=xxxx-xxxy-xxxx tok¦en=abcd****efgh pass¦word=__Pass_word_9__ pass¦word=!ADMIN123!", "password=«env-value» token=«env-value» password=«env-value» password=«env-value»"},
		{"pass¦word=720h0m0sx pass¦word=720hours7 pass¦word=h720m0s0", "password=«env-value» password=«env-value» password=«env-value»"},
		{`{"pass¦word":"2022-03-16 by the river"}`, `{"password":"«json-value»"}`},
	})
}
