package secret

import (
	"testing"

	"snapline/pkg/requirement"
)

// A credential may stand without a scheme, and something else behind it on the line.
func TestHeaderWithoutScheme(t *testing.T) {
	requirement.Claim(t, "SEC-04")
	f := fake(24)
	check(t, plainRules, []sample{
		{"<!-- Author¦ization: " + f + " -->", "<!-- Authorization: «auth-header» -->"},
		{"/* Author¦ization: " + f + " */", "/* Authorization: «auth-header» */"},
		{"Author¦ization: " + f + " # c\nAuthor¦ization: correcthorsebattery // c", "Authorization: «auth-header» # c\nAuthorization: «auth-header» // c"},
		{"| Author¦ization: " + f + " | no 2 |", "| Authorization: «auth-header» | no 2 |"},
		{"Author¦ization: " + f + " and more", "Authorization: «auth-header» and more"},
		{"Author¦ization: hunter-horse7 and more\nAuthor¦ization: hunter-horse7 works", "Authorization: «auth-header» and more\nAuthorization: «auth-header» works"},
		{`{"Author¦ization": correct-horse}` + "\n(Author¦ization: correct-horse)", `{"Authorization": «auth-header»}` + "\n(Authorization: «auth-header»)"},
		{`{"Author¦ization": "` + f + ` and more"}`, `{"Authorization": "«auth-header» and more"}`},
		{"Author¦ization: abcdefghijklmnopqrstuvwx and more", "Authorization: «auth-header» and more"},
		// What may be a scheme hides no credential behind it.
		{"Author¦ization: Custom-Scheme_2 " + f, "Authorization: Custom-Scheme_2 «auth-header»"},
		{"Author¦ization: Custom #correct-horse\nAuthor¦ization: Custom /+/correct-horse", "Authorization: Custom «auth-header»\nAuthorization: Custom «auth-header»"},
		{"Author¦ization: Custom лошадь-батарея\nAuthor¦ization: Custom =>&#correct-horse7", "Authorization: Custom «auth-header»\nAuthorization: Custom «auth-header»"},
		{"Author¦ization: Scheme2 " + f, "Authorization: Scheme2 «auth-header»"},
		{"Author¦ization: TC3-HMAC-SHA256 Credential=abc/d, Signature=01ab", "Authorization: TC3-HMAC-SHA256 «auth-header»"},
		{"Author¦ization: SharedAccessSignature sr=a&sig=" + f + "&se=1", "Authorization: SharedAccessSignature «auth-header»"},
		{"Authorization: Bearer -->\nAuthorization: ${TOKEN} # c\nAuthorization: <token> | no 2\nAuthorization: $TOKEN and more", ""},
		{"| AUTHORIZATION: CUSTOM1 correcthorse |\n<!-- authorization: CUSTOM1 correct.horse -->\n(Proxy-Authorization: Custom correct.horse)", "| AUTHORIZATION: CUSTOM1 «auth-header» |\n<!-- authorization: CUSTOM1 «auth-header» -->\n(Proxy-Authorization: Custom «auth-header»)"},
		{"authorization: custom correcthorsebattery\nAuthor¦ization: custom correct7horse", "authorization: custom «auth-header»\nAuthorization: custom «auth-header»"},
		{"`authorization`: authentication settings\nauthorization: authentication settings\n(authorization: authentication settings)", ""},
		{"Authorization: see the documentation for details\nAuthorization: permission_denied for this user", ""},
	})
}

// Code that reads the value of a header from somewhere else stays.
func TestCodeBehindHeaders(t *testing.T) {
	requirement.Claim(t, "SEC-04")
	f := fake(24)
	check(t, plainRules, []sample{
		{`"Authorization": req.Header.Get("Authorization"), "X-Api-Key": os.environ.get("K"), 'Cookie': jar["a"]}`, ""},
		{`'Authorization': headers["x"], "authorization": req.Header["Proxy-Authorization"], "Authorization" => request.env["HTTP_AUTHORIZATION"]`, ""},
		{"headers[\"Authorization\"] = self.build_header(\n  x)\nheaders[\"Authorization\"] = auth_header\nx = 1", ""},
		{"{ Authorization: getAuth(), x: 1 }\n{ Authorization: authHeader, x: 1 }\n{ 'Authorization': authHeader }\nAuthorization: getAuth(\n", ""},
		{`"Authorization": fmt.Sprintf("Bearer %s", token)`, ""},
		{`"Authorization": "AWS4-HMAC-SHA256 Credential=" + credential + ", Signature=" + signature`, ""},
		{"headers: { Authorization: await getHeader() }\nx = { Authorization: new Header(a) }", ""},
		{"'AUTHORIZATION': tokens.Keyword,\nauthorization = authorization[1].encode('ascii')", ""},
		{"'Author¦ization': correct.horse7,\nAuthorization¦: correct.horse", "'Authorization': «auth-header»,\nAuthorization: «auth-header»"},
		// A text joined to the code is a value.
		{`"Author¦ization": prefix() + "correct-horse-7", "X-Api-¦Key": auth_header || 'correct-horse-7'`, `"Authorization": prefix() + "«auth-header»", "X-Api-Key": auth_header || '«auth-header»'`},
		{`"X-Api-¦Key": os.environ.get("API_KEY", "correct-horse-7"), "X-Api-¦Key": String::from("correct-horse")`, `"X-Api-Key": os.environ.get("API_KEY", "«auth-header»"), "X-Api-Key": String::from("«auth-header»")`},
		// What is sent, or may be, is no code.
		{"X-Api-¦Key: abcdefgh(77)\nX-Api-¦Key: abcdefgh[77]\nX-Api-¦Key: auth_header_name", "X-Api-Key: «auth-header»)\nX-Api-Key: «auth-header»]\nX-Api-Key: «auth-header»"},
		{"X-Api-¦Key: self.horse77\ncurl -H 'PRIVATE-¦TOKEN: github.token.FAKE99' h", "X-Api-Key: «auth-header»\ncurl -H 'PRIVATE-TOKEN: «auth-header»' h"},
		{"'X-Api-Key': config.apiKey\nX-Api-Key: process.env.API_KEY\nX-Api-Key: $API_KEY\nX-Api-Key: ${config.apiKey}", ""},
		{`{"Author¦ization": ` + f + `}`, `{"Authorization": «auth-header»}`},
		{`"Author¦ization": "Custom Credential=" , "Author¦ization": "Custom FAKEFAKE=" + x`, `"Authorization": "Custom «auth-header»" , "Authorization": "Custom «auth-header»" + x`},
	})
}

// Angle brackets are of a placeholder, of a value, or of the markup around one.
func TestHeadersWithAngles(t *testing.T) {
	requirement.Claim(t, "SEC-04")
	f := fake(24)
	check(t, plainRules, []sample{
		{"X-Api-¦Key: <horse>battery-0FAKE\nAuthor¦ization: Bearer <horse>battery-0FAKE", "X-Api-Key: «auth-header»\nAuthorization: Bearer «auth-header»"},
		{"Author¦ization:<horse>battery-0FAKE", "Authorization:«auth-header»"},
		{"<li>X-Api-¦Key: <code>" + f + "</code></li>", "<li>X-Api-Key: <code>«auth-header»</code></li>"},
		{"Author¦ization: Bearer " + f + "<br>Next", "Authorization: Bearer «auth-header»<br>Next"},
		{"X-Api-Key: <your key>\nX-Api-Key: <your-key>-x\nX-Api-Key: <your-key>, y: 1\nAuthorization: Basic <base64(user:pw)>\nX-Api-Key: <your-key>", ""},
		{"<td>X-Api-Key: </td><td>content-of-cell</td><li>Authorization: </li><li>authentication</li>", ""},
	})
}

func TestListsOfHeaders(t *testing.T) {
	requirement.Claim(t, "SEC-04")
	check(t, plainRules, []sample{
		{"`authorization`, `access-control-allow-credentials`, `cookie`, `content-type`, `x-api-key`, `x-request-id`, `authorization`, `user-agent`", ""},
		{`["x-api-key", "content-type"], ['authorization', 'if-none-match']`, ""},
		{"Set(`x-api-¦key`, `correct-horse-battery`)", "Set(`x-api-key`, `«auth-header»`)"},
		{`Set("x-api-¦key", "x-correct-horse-7"), Set("x-api-¦key", "content")`, `Set("x-api-key", "«auth-header»"), Set("x-api-key", "content")`},
	})
}
