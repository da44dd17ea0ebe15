package secret

import (
	"testing"

	"snapline/pkg/requirement"
)

// Where the password of a URL is filled in later there is none to take out.
func TestPasswordsFilledIn(t *testing.T) {
	requirement.Claim(t, "SEC-06")
	check(t, plainRules, []sample{
		{`fmt.Sprintf("postgres://%s:%s@%s/%s", u, p, h, d) "postgres://{}:{}@{}/{}".format(u, p, h, d) "redis://:{0}@{1}"`, ""},
		{`"https://x-access-token:%s@github.com/o/r.git" "mysql://%[1]s:%[2]v@%[3]s/d" "amqp://%1$s:%2$s@h" "mysql://u:%q@h"`, ""},
		{"postgres://$[user]:$[password]@h/d\npostgres://[user[:password]@][host][:port][/dbname]\nhttps://[user[:password]@]host/", ""},
		{"postgres://u:%s%s1@h/d postgres://u:%73@h/d postgres://u:%[1]@h postgres://u:%2s$s@h postgres://u:%@h", "postgres://u:«db-url»@h/d postgres://u:«db-url»@h/d postgres://u:«db-url»@h postgres://u:«db-url»@h postgres://u:«db-url»@h"},
		{"mysql://u:{x}y@h mysql://u:{0}1@h mysql://u:$[x@h mysql://[u:password]@h mysql://u:s@h mysql://u:[pw]@]h", "mysql://u:«db-url»@h mysql://u:«db-url»@h mysql://u:«db-url»@h mysql://[u:«db-url»@h mysql://u:«db-url»@h mysql://u:«db-url»@]h"},
	})
}
