package secret

import (
	"testing"

	"snapline/pkg/requirement"
)

func TestFlags(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{"run --pass¦word Zh7yaFW5dRF -v", "run --password «flag-value» -v"},
		{"run --db-pass Zh7yaFW5dRF --x", "run --db-pass «flag-value» --x"},
		{"run --client-secret 'Zh7y aFW5dRF' --x", "run --client-secret '«flag-value»' --x"},
		{"run --tok¦en \"Zh7y\\\"aFW5dRF\" --x", "run --token \"«flag-value»\" --x"},
		{"args: [\"--pass¦word\", \"Zh7yaFW5dRF\", \"-v\"]", "args: [\"--password\", \"«flag-value»\", \"-v\"]"},
		{"args:\n  - --pass¦word\n  - Zh7yaFW5dRF\n  - -v", "args:\n  - --password\n  - «flag-value»\n  - -v"},
		{"args:\n  - \"--api-key\"\n  - \"Zh7yaFW5dRF\"\n", "args:\n  - \"--api-key\"\n  - \"«flag-value»\"\n"},
		{"run --access-tok¦en \\\n    Zh7yaFW5dRF \\\n    --x", "run --access-token \\\n    «flag-value» \\\n    --x"},
		{"`run --pass¦word correcthorsebattery`", "`run --password «flag-value»`"},
		{"(run -pass¦word Zh7yaFW5dRF)", "(run -password «flag-value»)"},
		{"run --auth Zh7yaFW5dRF; run --auth lettersonly", "run --auth «flag-value»; run --auth lettersonly"},
		{"run --pass¦word \"$PW\" --tok¦en $TOKEN --secret ${S} --secret $(cat f) --secret {{ .S }}", ""},
		{"run --password /run/secrets/x --token ./token-file-1 --secret key7file.pem --token ~/x/tok1en --token C:\\x\\tok1en", ""},
		{"run --password <password1> --token [token-1234] --token ******** --token YOUR_TOKEN_HERE --token PLACE_HOLDER", ""},
		{"run --password-file secret1file --token-ttl 720hours --auth-mode password1 --secret-name my1secret --key-id abcd1234efgh --api-key-header X-Custom-1", ""},
		{"run --no-password hostname1x --skip-auth hostname1x --use-token hostname1x --show-secret hostname1x --disable-auth hostname1x", ""},
		{"  --password string1x   the password\n  --token tokenvalue\tthe token\n  --api-key STRING  The key", ""},
		{"The --password parameter is read; --token specified twice; use --secret instead of it; --password-stdin together with it", ""},
		{"docker build --secret id=npm1token,src=.npmrc --secret env=TOKEN1X .", ""},
		{"act --secret NPM_TOK¦EN=Zh7yaFW5dRF --x", "act --secret NPM_TOKEN=«env-value» --x"},
		{"x--password Zh7yaFW5dRF", ""},
	})
}

func TestPrograms(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{"sshpass -pZh7yaFW5dRF ssh -p 2222 h\nsshpass -p 'Zh7y aFW5' scp a b", "sshpass -p«flag-value» ssh -p 2222 h\nsshpass -p '«flag-value»' scp a b"},
		{"mysql -u root -pZh7yaFW5dRF db; mysqladmin -p'Zh7yaFW5dRF' ping", "mysql -u root -p«flag-value» db; mysqladmin -p'«flag-value»' ping"},
		{"curl -sSfu me:Zh7yaFW5dRF https://h/; curl --user \"me:Zh7y aFW5\" h", "curl -sSfu me:«flag-value» https://h/; curl --user \"me:«flag-value»\" h"},
		{"curl -ume:Zh7yaFW5dRF h && wget --user=me:Zh7yaFW5dRF h", "curl -ume:«flag-value» h && wget --user=me:«flag-value» h"},
		{"curl -X POST \\\n  -u me:Zh7yaFW5dRF \\\n  https://h/", "curl -X POST \\\n  -u me:«flag-value» \\\n  https://h/"},
		{"http -a me:Zh7yaFW5dRF GET h", "http -a me:«flag-value» GET h"},
		{"podman login -u ci -p Zh7yaFW5dRF r; helm registry login -u ci -p Zh7yaFW5dRF r; skopeo login -p Zh7yaFW5dRF r", "podman login -u ci -p «flag-value» r; helm registry login -u ci -p «flag-value» r; skopeo login -p «flag-value» r"},
		{"redis-cli -h c -a Zh7yaFW5dRF ping\ntwine upload -u me -p Zh7yaFW5dRF d/*", "redis-cli -h c -a «flag-value» ping\ntwine upload -u me -p «flag-value» d/*"},
		{"mongosh -u me -p Zh7yaFW5dRF db\nmongodump -p Zh7yaFW5dRF", "mongosh -u me -p «flag-value» db\nmongodump -p «flag-value»"},
		{"sqlcmd -S h -U sa -P Zh7yaFW5dRF -Q x\nldapsearch -x -D cn=a -w Zh7yaFW5dRF", "sqlcmd -S h -U sa -P «flag-value» -Q x\nldapsearch -x -D cn=a -w «flag-value»"},
		{"openssl rsa -passin pass:Zh7yaFW5dRF -in k\nskopeo copy --src-creds me:Zh7yaFW5dRF a b\nskopeo inspect --creds me:Zh7yaFW5dRF a", "openssl rsa -passin pass:«flag-value» -in k\nskopeo copy --src-creds me:Zh7yaFW5dRF a b\nskopeo inspect --creds me:«flag-value» a"},
		{"zip -P Zh7yaFW5dRF a.zip f; unzip -P Zh7yaFW5dRF a.zip", "zip -P «flag-value» a.zip f; unzip -P «flag-value» a.zip"},
		{"docker run -p 8080:8080 --user 1000:1000 web\nssh -p 2222x1234 h\nmysql -u root -p inventory7prod\nmkdir -p build1/artifacts\ncurl -u octocat7x h", ""},
		{"curl -u \"$USER:$PASS\" h; curl -u me:$TOKEN h; curl -u me: h; curl -u me:<password1> h; docker login -u a -p \"$P\"", ""},
		{"tar -p Zh7yaFW5dRF; rsync --user me:Zh7yaFW5dRF; docker login -u me registry7example", ""},
		{"pass: all tests; bypass:Zh7yaFW5dRF; -x pass:$PASS", ""},
	})
}

func TestFrames(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{"FROM a\nENV API_TOK¦EN Zh7yaFW5dRF\nENV X y", "FROM a\nENV API_TOKEN «env-value»\nENV X y"},
		{"+ENV API_TOK¦EN Zh7yaFW5dRF\n", "+ENV API_TOKEN «env-value»\n"},
		{"setx API_TOK¦EN Zh7yaFW5dRF /M", "setx API_TOKEN «env-value» /M"},
		{"setenv API_TOK¦EN 'Zh7y aFW5dRF'", "setenv API_TOKEN '«env-value»'"},
		{"set -Ux API_TOK¦EN Zh7yaFW5dRF\nset -x API_TOK¦EN 'Zh7yaFW5dRF'", "set -Ux API_TOKEN «env-value»\nset -x API_TOKEN '«env-value»'"},
		{"[Environment]::SetEnvironmentVariable(\"API_TOK¦EN\", \"Zh7yaFW5dRF\", \"User\")", "[Environment]::SetEnvironmentVariable(\"API_TOKEN\", \"«env-value»\", \"User\")"},
		{"define('DB_PASS¦WORD', 'Zh7yaFW5dRF');\nos.Setenv(\"API_TOK¦EN\", \"Zh7yaFW5dRF\")", "define('DB_PASSWORD', '«env-value»');\nos.Setenv(\"API_TOKEN\", \"«env-value»\")"},
		{"#  define API_TOK¦EN \"Zh7yaFW5dRF\"", "#  define API_TOKEN \"«env-value»\""},
		{"<apiTok¦en>Zh7yaFW5dRF</apiToken><tokenType>bearer12</tokenType>", "<apiToken>«env-value»</apiToken><tokenType>bearer12</tokenType>"},
		{"| Name | Value |\n|---|---|\n| `API_TOK¦EN` | `Zh7yaFW5dRF` |\n| DB_PASS¦WORD | Zh7yaFW5dRF | x |", "| Name | Value |\n|---|---|\n| `API_TOKEN` | `«env-value»` |\n| DB_PASSWORD | «env-value» | x |"},
		{"| API_TOKEN | Zh7yaFW5dRF |\n|---|---|\n| token | Zh7yaFW5dRF |\n| API_TOKEN | required |\n| API_TOKEN | 1.2.3-rc4 |\n| MY_AUTH | Zh7yaFW5dRF |\n| API_TOKEN | a token 12345678 |", ""},
		{"cfg={User:me ApiTok¦en:Zh7yaFW5dRF Port:5432} &{Pass¦word:correcthorse}", "cfg={User:me ApiToken:«env-value» Port:5432} &{Password:«env-value»}"},
		{"map[pass¦word:Zh7yaFW5dRF user:me] map[a:map[secret:Zh7yaFW5dRF]]", "map[password:«env-value» user:me] map[a:map[secret:«env-value»]]"},
		{"got {Name:x Password: Port:3} and {Password:*** Token:<nil> Secret:short}", ""},
		{"[\"api_tok¦en\"]=>\n  string(11) \"Zh7yaFW5dRF\"", "[\"api_token\"]=>\n  string(11) \"«env-value»\""},
		{"~ secret_key = \"Zh7yaFW5dRF\" => \"aFW5dRFZh7y\"\n~ token_ttl = \"3600\" -> \"7200\"\n~ password = (sensitive value)", "~ secret_key = \"«env-value»\" => \"«env-value»\"\n~ token_ttl = \"3600\" -> \"7200\"\n~ password = (sensitive value)"},
		{"machine h\n  login me\n  password Zh7yaFW5dRF\nmachine i login a password Zh7yaFW5dRF", "machine h\n  login me\n  password «env-value»\nmachine i login a password «env-value»"},
		{"login with password authentication is off; login and password Zh7yaFW5dRF", ""},
		{"*:*:*:me:Zh7yaFW5dRF\nlocalhost:5432:db:me:Zh7yaFW5dRF\n10.0.0.7:6432:*:me:Zh7yaFW5dRF\n", "*:*:*:me:«env-value»\nlocalhost:5432:db:me:«env-value»\n10.0.0.7:6432:*:me:«env-value»\n"},
		{"main.go:1184:14: undefined: evictAll\n12:1234:ab:cd:Zh7yaFW5dRF\nhost:5432:5432:x:Zh7yaFW5dRF", ""},
		{"CREATE ROLE a PASS¦WORD 'Zh7yaFW5dRF'; ALTER USER b WITH ENCRYPTED PASS¦WORD 'Zh7yaFW5dRF';", "CREATE ROLE a PASSWORD '«env-value»'; ALTER USER b WITH ENCRYPTED PASSWORD '«env-value»';"},
		{"GRANT ALL ON x TO a IDENTIFIED BY 'Zh7yaFW5dRF'; create user b identified with mysql_native_password by 'Zh7yaFW5dRF'", "GRANT ALL ON x TO a IDENTIFIED BY '«env-value»'; create user b identified with mysql_native_password by '«env-value»'"},
		{"users identified by 'email'; PASSWORD NULL; PASSWORD EXPIRE; IDENTIFIED BY '${PW}'", ""},
		{"{\"auths\":{\"r\":{\"auth\":\"bWU6Wmg3eWFGVzVkUkY=\",\"identitytok¦en\":\"Zh7yaFW5dRF\"}}}", "{\"auths\":{\"r\":{\"auth\":\"«json-value»\",\"identitytoken\":\"«json-value»\"}}}"},
	})
}

func TestLists(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{`{"api_tok¦ens": ["Zh7yaFW5dRF", "aFW5dRFZh7y"]}`, `{"api_tokens": ["«json-value»", "«json-value»"]}`},
		{"secret_keys = [\n  \"Zh7yaFW5dRF\",\n  'aFW5dRFZh7y',\n]", "secret_keys = [\n  \"«env-value»\",\n  '«env-value»',\n]"},
		{"passwords:\n- Zh7yaFW5dRF\n- 'aFW5dRFZh7y' # old\nusers:\n- abcdefgh1", "passwords:\n- «env-value»\n- '«env-value»' # old\nusers:\n- abcdefgh1"},
		{"access_tok¦ens: [Zh7yaFW5dRF, aFW5dRFZh7y]", "access_tokens: [«env-value», «env-value»]"},
		{"secrets: [ aws_access_key_id, deploy_ssh_key ]\nsecrets:\n  - my_secret\n  - source: abcd1234x\n  - DB_PASSWORD\n  - ssl-cert-v2\n", ""},
		{"{\"tokens\":[\"${A}\",\"$TOKEN_B\"],\"token_ids\":[\"abcd1234\"],\"max_tokens\":[\"abcd1234\"],\"stop_tokens\":[\"abCd1234\"]}", ""},
		{"tokens = [first_token1, secondToken2]", ""},
	})
}

func TestTokensOfJSON(t *testing.T) {
	requirement.Claim(t, "SEC-02")
	const head, body, sign = "eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiJhIn0", "FAKEexample0FAKEexample0"
	check(t, plainRules, []sample{
		{"see " + head + "." + body + "." + sign + ", and", "see «jwt», and"},
		{"unsigned " + head + "." + body + ". end", "unsigned «jwt» end"},
		{"x=" + head + "." + body + "." + sign + "&y=1", "x=«jwt»&y=1"},
		{"\"\\n" + head + "." + body + "." + sign + "\"", "\"\\n«jwt»\""},
		{"ewogICJhbGciOiAiSFMyNTYiCn0." + body + "." + sign, "«jwt»"},
		{"eyJhbGciOiJkaXIiLCJlbmMiOiJBIn0.." + "QUFBQQ.QUFBQQ.QUFBQQ", "«jwt»"},
		{head + "." + body + " " + head + " eyJhbGciOiJIUzI1NiJ.x.y eyJ0eXAiOiJKV1QifQ." + body + "." + sign, ""},
		{"Authorization: Bearer " + head + "." + body + "." + sign, "Authorization: Bearer «auth-header»"},
	})
}

func TestWrappedHeaders(t *testing.T) {
	requirement.Claim(t, "SEC-04")
	check(t, plainRules, []sample{
		{"Authorization: Bearer\n  Zh7yaFW5dRF\nAccept: x", "Authorization: Bearer\n  «auth-header»\nAccept: x"},
		{"< Authorization: Basic\n<\tZh7yaFW5dRF=\n", "< Authorization: Basic\n<\t«auth-header»\n"},
		{"Authorization: Bearer\nAccept: application", ""},
		{"Authorization: token\n  The endpoint takes one", ""},
		{"proxy_set_header Authoriz¦ation \"Basic Zh7yaFW5dRF\";\n  proxy_set_header X-Api-¦Key Zh7yaFW5dRF;\nRequestHeader set Authoriz¦ation \"Bearer Zh7yaFW5dRF\"", "proxy_set_header Authorization \"Basic «auth-header»\";\n  proxy_set_header X-Api-Key «auth-header»;\nRequestHeader set Authorization \"Bearer «auth-header»\""},
		{"proxy_set_header Authorization $http_authorization;\nproxy_set_header Authorization \"\";", ""},
		{"curl -HAuthoriz¦ation:Bearer\\ Zh7yaFW5dRF h; curl -H'Authoriz¦ation: Bearer Zh7yaFW5dRF'", "curl -HAuthorization:Bearer\\ «auth-header» h; curl -H'Authorization: Bearer «auth-header»'"},
		{"{'Authoriz¦ation': \"Bearer \" + \"Zh7yaFW5dRF\"}\nh['Authoriz¦ation'] = 'Basic ' . 'Zh7yaFW5dRF';", "{'Authorization': \"Bearer \" + \"«auth-header»\"}\nh['Authorization'] = 'Basic ' . '«auth-header»';"},
		{"Cookie: sid=Zh7yaFW5dRF; theme=dark; Path=/a\nSet-Cookie: id=Zh7yaFW5dRF; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Domain=example.org; HttpOnly; SameSite=Strict", "Cookie: sid=«auth-header»; theme=dark; Path=/a\nSet-Cookie: id=«auth-header»; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Domain=example.org; HttpOnly; SameSite=Strict"},
		{"AUTH_HEADER=\"Bearer Zh7yaFW5dRF\"\nAUTH_HEADER=\"X-Custom-Header1\"", "AUTH_HEADER=\"Bearer «auth-header»\"\nAUTH_HEADER=\"X-Custom-Header1\""},
	})
}

func TestDefaults(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{"f(os.getenv('API_TOK¦EN', 'Zh7yaFW5dRF'))", "f(os.getenv('API_TOKEN', '«env-value»'))"},
		{"os.environ.get(\"DB_PASS¦WORD\", default=\"Zh7yaFW5dRF\")", "os.environ.get(\"DB_PASSWORD\", default=\"«env-value»\")"},
		{"'k' => env('APP_SECRET', 'Zh7yaFW5dRF'),", "'k' => env('APP_SECRET', '«env-value»'),"},
		{"const s = process.env.SESSION_SEC¦RET ?? 'Zh7yaFW5dRF'", "const s = process.env.SESSION_SECRET ?? '«env-value»'"},
		{"f(process.env.SESSION_SEC¦RET || \"Zh7yaFW5dRF\")", "f(process.env.SESSION_SECRET || \"«env-value»\")"},
		{"os.environ[\"API_TOK¦EN\"] or \"Zh7yaFW5dRF\"", "os.environ[\"API_TOKEN\"] or \"«env-value»\""},
		{"echo ${API_TOK¦EN:-Zh7yaFW5dRF} ${API_TOK¦EN:=Zh7yaFW5dRF}", "echo ${API_TOKEN:-«env-value»} ${API_TOKEN:=«env-value»}"},
		{"os.getenv(\"AUTH_TOKEN\", \"development\") process.env.SECRET || 'development' ${TOKEN:-} ${TOKEN:-$OTHER} ${TOKEN:?must be set} os.getenv('TOKEN', None)", ""},
	})
}

func TestEscapesInValues(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{"DB_PASS¦WORD=Qm4wrkzzQ\\tone7\\nu9Xz\nDB_HOST=a", "DB_PASSWORD=«env-value»\nDB_HOST=a"},
		{"export S_SEC¦RET=rT9k2Lpqa\\nsw\\d7Yq\n", "export S_SECRET=«env-value»\n"},
		{"{\"log\":\"DB_PASS¦WORD=IqCtqQXc507\\nDB_HOST=db1\\n\"}", "{\"log\":\"DB_PASSWORD=«env-value»\\nDB_HOST=db1\\n\"}"},
		{"echo \"API_TOK¦EN=IqCtqQXc507\\nX=1\" >> f", "echo \"API_TOKEN=«env-value»\\nX=1\" >> f"},
		{"PASSWORD_FILE=C:\\secrets\\token\\new.txt\nOLDPWD=D:\\work\\test\\report", ""},
	})
}

func TestThingsAndTexts(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		{"tokenType: \"installation1\"\nsecret_location=\"vault1path\"\npassword_hash: abcd1234efgh\ntoken_count=123abc456\nauthSource=app_users_db1\nSecretName: \"cool_secret1\"", ""},
		{"{\"forgot_password\": \"Passwort1 vergessen?\", \"passwordLabel\": \"Kennwort1\", \"token_expired_message\": \"Sitzung1 abgelaufen\", \"confirm_password\":\"Wort1 nochmal\"}", ""},
		{"adminPasswordKey: pw1admin-x\nSECRET_KEY=Zh7yaFW5dRF\nsecretText: Zh7yaFW5dRF\nvault_secret_id=3f1c9a52-7b0e-4d19-8f6a-c2d4e5f60718", "adminPasswordKey: pw1admin-x\nSECRET_KEY=«env-value»\nsecretText: «env-value»\nvault_secret_id=«env-value»"},
		{"DB_PASS=Zh7yaFW5dRF\ndbPass: Zh7yaFW5dRF\nPGPASS=Zh7yaFW5dRF\nUSERPASS=Zh7yaFW5dRF\nPASS=Zh7yaFW5dRF\nmytok¦en = Zh7yaFW5dRF", "DB_PASS=«env-value»\ndbPass: «env-value»\nPGPASS=«env-value»\nUSERPASS=«env-value»\nPASS=«env-value»\nmytoken = «env-value»"},
		{"--- PASS: TestAbc1234x\nPASS: check1234\nCOMPASS=Zh7yaFW5dRF\nBYPASS=Zh7yaFW5dRF\nPASSTHROUGH=Zh7yaFW5dRF", ""},
		{"密码=Zh7yaFW5\nпароль: Zh7yaFW5dRF\nパスワード：Zh7yaFW5", "密码=«env-value»\nпароль: «env-value»\nパスワード：Zh7yaFW5"},
		{"密码=中文密码很长很长 пароль: неверный", ""},
		{"const getToken = async (request) => {\nvalidatePassword = (password) =>\ngetAuth = authOptions => {\nlet secret = function (a, b) {\ntoken = lambda x: x1234567", ""},
		{"'password' => 'required|min:8|confirmed'", ""},
		{"PWD=C:\\slave\\test1\nprivate_key = $base_dir/ca_key1.pem\nkey: classpath:client1.key\nNOPASSWD: /usr/sbin/setcap1, ALL", ""},
		{"token=android.os.BinderProxy@2bd79ce credentials=org.example.Basic@1b28cdfa", ""},
		{"DB_PASS¦WORD=Xk29sdfQQ71z in staging only\ntoken: provided by the platform team", "DB_PASSWORD=«env-value» in staging only\ntoken: provided by the platform team"},
	})
}

func TestNumbersAsCards(t *testing.T) {
	requirement.Claim(t, "SEC-07")
	check(t, plainRules, []sample{
		{"visa 4884300230235, PAN: 4744476248654938223; https://h/cards/4111111111111111", "visa «payment-card», PAN: «payment-card»; https://h/cards/«payment-card»"},
		{"id 4884300230235 of 4744476248654938223 at https://h/posts/4111111111111111/x", ""},
		{"4744 4762 4865 4938 223 and 4111-1111-1111-1111", "«payment-card» and «payment-card»"},
		{"de89370400440532013000 and gb82 west 1234 5698 7654 32", "«iban» and «iban»"},
		{"de89370400440532013001 and De89370400440532013000", ""},
	})
}
