package secret

import (
	"testing"

	"snapline/pkg/requirement"
)

// The value of a secret name may be a name as well, and then tells no secret.
func TestNamesAsValues(t *testing.T) {
	requirement.Claim(t, "SEC-05")
	check(t, plainRules, []sample{
		// Modules and packages.
		{"Bump com.google.auth:google-auth-library-oauth2-http from 1.19.0 to 1.20.0\n[INFO] +- io.grpc:grpc-auth:jar:1.50.2:compile\n[INFO] |  \\- com.google.auth:google-auth-library-oauth2-http:jar:1.19.0:compile", ""},
		{"+--- androidx.credentials:credentials-play-services-auth:1.2.0\nsoftware.amazon.awssdk:auth:2.20.162\ngunicorn app.auth:create_app", ""},
		{"spring.db.pass¦word:correct-horse-battery\na:1:sec¦ret:correct-horse-battery-7\na:tok¦en:correct-1.2-horse7\napp.auth:FAKEexample0FAKE\napp.auth: correct-horse-7", "spring.db.password:«env-value»\na:1:secret:«env-value»\na:token:«env-value»\napp.auth:«env-value»\napp.auth: «env-value»"},
		// Objects that hold secrets.
		{"secretName: internal-registry-auth\nexistingSecret: gitea-admin-secret\ncredentialsSecret: my-aws-creds\npasswordKey: postgres-password\nSecretName:  default-token-x7k2p\nsecretRef: \"db-credentials\"\nSECRET_NAME=prod.db-credentials", ""},
		{"secretName: FAKEexample0\nsecret_name: 4a314653c6076d06\nsecretName: ab1cd2ef3gh4ij\ntokenSecret: correct-horse\nsecretKey: correct-horse\npass¦word: correct-horse", "secretName: FAKEexample0\nsecret_name: 4a314653c6076d06\nsecretName: ab1cd2ef3gh4ij\ntokenSecret: correct-horse\nsecretKey: «env-value»\npassword: «env-value»"},
		// Files that do.
		{"CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE: /home/runner/x/gha-creds-4a314653c6076d06.json\nDOCKER_AUTH_CONFIG: /root/.docker\nx --private-key-file=key.json\nGOOGLE_APPLICATION_CREDENTIALS=key.json", ""},
		{"FILE_PASSWORD=/correct/horse.7\nKEY_FILE_PASSWORD=correct-horse.json\nAUTH_FILE_X=correct-horse", ""},
		{"FILE_PASS¦WORD=/correct+horse7=\nAUTH_FILE_X=correct-horse7", "FILE_PASSWORD=«env-value»\nAUTH_FILE_X=«env-value»"},
		// The name over again.
		{"f(next_token=next_token\nclient_secret='client_secret' REFRESH_TOKEN = \"REFRESH_TOKEN\" {\"refresh_token\": \"refreshToken\"} self.access_key = 'access-key'\nDB_PASSWORD=DB_PASSWORD\n{\"password_policy\": \"passwordPolicy\"}", ""},
		{"DB_PASS¦WORD=dbpassword\nDB_PASS¦WORD=db_password\nPASS¦WORD=password\nPOSTGRES_PASS¦WORD: password\nclient_sec¦ret=client_secret7\nclient_sec¦ret=clientsecrets", "DB_PASSWORD=«env-value»\nDB_PASSWORD=«env-value»\nPASSWORD=«env-value»\nPOSTGRES_PASSWORD: «env-value»\nclient_secret=«env-value»\nclient_secret=«env-value»"},
	})
}
