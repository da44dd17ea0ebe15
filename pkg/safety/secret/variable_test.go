package secret

import (
	"testing"

	"snapline/pkg/requirement"
)

// A word without quotes is the name of a variable where only code has what stands before or
// behind it. Else it is a value: letters count.
func TestVariables(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		// Statements.
		{"params['NextToken'] = next_marker\nresult[\"token\"] = swordfish\nself.password = swordfish\nthis.token = accessTokenOf\nx[0].password = swordfish\nf().token = swordfish", ""},
		{"auth := swordfish\npwd := a.Package.Dir\npassword += string.ascii_letters\ntoken += nextchar", ""},
		{"username, password = url_user_password\naccess_token, token_expiry, id_token = token_data", ""},
		{"config.Certificates[0].PrivateKey = testRSA2048PrivateKey\nself.access_token = v2_access_token", ""},
		{"creds[\"pass¦word\"]=swordfish\nself.pass¦word=swordfish\nself.pass¦word = hunter22\nthat.pass¦word = swordfish\nx['pass¦word'] = correct-horse", "creds[\"password\"]=«env-value»\nself.password=«env-value»\nself.password = «env-value»\nthat.password = «env-value»\nx['password'] = «env-value»"},
		{"DB_PASS¦WORD := swordfish\nDB_PASS¦WORD += swordfish\npass¦word := hunter22\npass¦word += correct-horse\npass¦word ?= swordfish", "DB_PASSWORD := «env-value»\nDB_PASSWORD += «env-value»\npassword := «env-value»\npassword += «env-value»\npassword ?= «env-value»"},
		{"Password for x, pass¦word = correct_horse\n(\n  db.pass¦word=pass¦word\n)", "Password for x, password = «env-value»\n(\n  db.password=«env-value»\n)"},
		{"user, pass¦word = swordfish\nx=1, db_pass¦word = correct_horse", "user, password = «env-value»\nx=1, db_password = «env-value»"},
		// Operands.
		{"auth = username + \":\" + x\ntoken_re = jsonnet_re + r'x'\nvalid_token = string.ascii_letters + string.digits\nauth_header = base_auth % (nonce, x)\nauth_errors = rpc_errors = 0", ""},
		{"token = at_token or self.token\ncert_auth = cert_data and key_data\ntoken = client_token or str(x)\nuse_auth = default_auth is None\nTOKEN_READ = STANDARD_RIGHTS_READ | TOKEN_QUERY\ntoken = is_set ? read_it() : x", ""},
		{"key_password: duration_pb2.Duration = proto.Field(\ntoken = asked && a.b", ""},
		{"pass¦word = swordfish or so\npass¦word = swordfish and name_of_dog\npass¦word = correct_horse or else\npass¦word = swordfish is it\npass¦word = swordfish + more\npass¦word = swordfish | x_y |", "password = swordfish or so\npassword = swordfish and name_of_dog\npassword = «env-value» or else\npassword = swordfish is it\npassword = «env-value» + more\npassword = «env-value» | x_y |"},
		{"PASS¦WORD=swordfish && x_y\nPASS¦WORD=swordfish | x_y\nPASS¦WORD=swordfish || \"x\"\npass¦word = hunter22 + \"x\"\npass¦word: swordfish = x", "PASSWORD=«env-value» && x_y\nPASSWORD=«env-value» | x_y\nPASSWORD=«env-value» || \"x\"\npassword = «env-value» + \"x\"\npassword: swordfish = x"},
		// Arguments at the end of a call.
		{"f(a,\n  next_token=new_next_token\n)\nf(\n  password=password\n  )\nT{PrivateKey: testRSA2048PrivateKey, x}", ""},
		{"(\n  PASS¦WORD=swordfish\n)\npass¦word=pass¦word\nx\nT{Pass¦word: admin1pass¦word, x}", "(\n  PASSWORD=«env-value»\n)\npassword=«env-value»\nx\nT{Password: «env-value», x}"},
		{"X=(\n  DB_PASS¦WORD=my_pass¦word_text\n)\npass¦word = correct_horse is not it\npass¦word = correct_horse or e.g. x\npass¦word = correct_horse and (by the way) x", "X=(\n  DB_PASSWORD=«env-value»\n)\npassword = «env-value» is not it\npassword = «env-value» or e.g. x\npassword = «env-value» and (by the way) x"},
		// Elements of a list of names and values: JSON has quotes around its texts.
		{"{'token': implicit_grant, \"Password\": a.b}\nx({'auth_key': readIt})", ""},
		{"{'pass¦word': swordfish, \"Pass¦word\": correct-horse}\n\"pass¦word\": correct_horse\n{pass¦word: correct_horse7}", "{'password': swordfish, \"Password\": «json-value»}\n\"password\": «json-value»\n{password: «env-value»}"},
		// Values.
		{"PASS¦WORD=swordfish\npass¦word = swordfish\nDB_PASS¦WORD=correct_horse\nPOSTGRES_PASS¦WORD: pass¦word\ntok¦en = other_name", "PASSWORD=«env-value»\npassword = «env-value»\nDB_PASSWORD=«env-value»\nPOSTGRES_PASSWORD: «env-value»\ntoken = «env-value»"},
	})
}
