// Package secret is the second step of filtering: it finds credentials and structured
// personal data in clean text and replaces each by a fixed marker (SEC-01 to SEC-08).
//
// Every rule is called at a place where one of its patterns begins. It looks at the
// text around that place and reports spans; spans that overlap are merged, and each
// group is replaced once.
package secret

// Code is a class of finding. Smaller codes are more specific: they win where spans
// overlap.
type Code uint8

// The codes, in order of precedence: registered, provider, private key, database
// URL, header, JSON, environment, personal data.
const (
	Registered Code = iota
	Anthropic       // before OpenAI: sk-ant- begins with sk-
	OpenAI
	GitHub
	GitLab
	Slack
	Google
	AWS
	Stripe
	SendGrid
	HuggingFace
	NPM
	PyPI
	Vault
	Age
	Docker
	Shopify
	PrivateKey
	DatabaseURL
	AuthHeader
	JSONValue
	EnvValue
	SSN
	IBAN // before PaymentCard: some of its groups may look like a card
	PaymentCard
	codeCount
)

// Codes is the number of codes.
const Codes = int(codeCount)

var codeNames = [Codes]string{
	Registered:  "secret.registered",
	OpenAI:      "secret.openai",
	Anthropic:   "secret.anthropic",
	GitHub:      "secret.github",
	GitLab:      "secret.gitlab",
	Slack:       "secret.slack",
	Google:      "secret.google",
	AWS:         "secret.aws",
	Stripe:      "secret.stripe",
	SendGrid:    "secret.sendgrid",
	HuggingFace: "secret.huggingface",
	NPM:         "secret.npm",
	PyPI:        "secret.pypi",
	Vault:       "secret.vault",
	Age:         "secret.age",
	Docker:      "secret.docker",
	Shopify:     "secret.shopify",
	PrivateKey:  "secret.private-key",
	DatabaseURL: "secret.db-url",
	AuthHeader:  "secret.auth-header",
	JSONValue:   "secret.json-value",
	EnvValue:    "secret.env-value",
	SSN:         "pii.ssn",
	IBAN:        "pii.iban",
	PaymentCard: "pii.payment-card",
}

// String gives the finding code.
func (c Code) String() string { return codeNames[c] }
