package injection

// wid numbers a word of the vocabulary, which is data (pkg/safety/rules/injection); 0 is any
// other word.
type wid uint16

// rWeak are the roles of words that may stand in any number before an object.
const rWeak = rEarlier | rGiven | rYour | rAll | rFill | rAndOr

func (t token) is(role uint64) bool { return roles[t.id]&role != 0 }

// can is is for the roles that begin with m.
func (t token) can(role uint64) bool { return moreRoles[t.id]&role != 0 }
