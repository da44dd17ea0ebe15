package injection

// wordList is a sorted list of words, which are data (pkg/safety/rules/injection).
type wordList []string
