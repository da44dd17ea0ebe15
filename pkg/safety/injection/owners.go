package injection

import "bytes"

// owners is a set of owners of credentials, by their places in the list of owners.
type owners uint32

// ownership says to whom a credential belongs, by the name of the variable that holds it,
// and which hosts are of that owner.
type ownership struct {
	names  []string // beginnings of names, in lower case
	hosts  []string // registered names; their subdomains are of the owner too
	labels []string // a host with such a label is of the owner
	first  []string // the same of the first label only
}

// ownerships are the owners whose tokens have one place to go to. Of programs that
// everybody runs at home (Nexus, Sonar, Jira) nobody is the owner.
var ownerships = [...]ownership{
	{
		names:  []string{"github_", "gh_", "actions_"},
		hosts:  []string{"github.com", "ghe.com", "githubusercontent.com", "githubcopilot.com", "github.ai", "github.io", "ghcr.io", "models.inference.ai.azure.com"},
		labels: []string{"github", "ghe"},
	},
	{
		names:  []string{"gitlab_", "ci_job_"},
		hosts:  []string{"gitlab.com"},
		labels: []string{"gitlab"},
		first:  []string{"git"},
	},
	{
		names:  []string{"forgejo_", "gitea_", "codeberg_"},
		hosts:  []string{"codeberg.org"},
		labels: []string{"forgejo", "gitea"},
		first:  []string{"git"},
	},
	{
		names: []string{
			"openai_", "azure_openai_", "anthropic_", "claude_", "gemini_", "google_api_", "google_ai_", "google_generative_", "openrouter_", "groq_", "deepseek_",
			"mistral_", "cohere_", "xai_", "perplexity_", "together_", "fireworks_", "cerebras_", "moonshot_", "dashscope_",
		},
		hosts: []string{
			"openai.com", "azure.com", "anthropic.com", "claude.ai", "googleapis.com", "githubcopilot.com", "github.ai", "openrouter.ai", "groq.com", "deepseek.com",
			"mistral.ai", "cohere.com", "cohere.ai", "x.ai", "perplexity.ai", "together.xyz", "together.ai", "fireworks.ai", "cerebras.ai", "moonshot.ai", "moonshot.cn",
			"aliyuncs.com", "bigmodel.cn", "z.ai", "siliconflow.cn", "siliconflow.com", "volces.com", "minimax.io", "nvidia.com", "huggingface.co", "replicate.com",
			"deepinfra.com", "sambanova.ai", "novita.ai", "ai21.com", "voyageai.com", "amazonaws.com", "gateway.ai.cloudflare.com", "ai-gateway.vercel.sh",
		},
	},
	{
		names:  []string{"npm_", "node_auth_"},
		hosts:  []string{"npmjs.org", "npmjs.com", "yarnpkg.com", "jsr.io"},
		labels: []string{"npm", "pypi", "registry", "nexus", "artifactory"},
	},
	{
		names:  []string{"pypi_", "twine_", "uv_publish_"},
		hosts:  []string{"pypi.org", "pythonhosted.org"},
		labels: []string{"npm", "pypi", "registry", "nexus", "artifactory"},
	},
	{
		names: []string{"hf_", "huggingface_", "hugging_face_", "huggingfacehub_"},
		hosts: []string{"huggingface.co", "hf.co", "hf.space"},
	},
	{
		names: []string{"slack_"},
		hosts: []string{"slack.com", "slack-gov.com"},
	},
	{
		names: []string{"aws_"},
		hosts: []string{"amazonaws.com", "amazonaws.com.cn", "aws.amazon.com", "aws.dev", "api.aws"},
	},
	{
		names: []string{"gcp_", "gcloud_", "google_"},
		hosts: []string{"googleapis.com", "google.com", "gcr.io", "pkg.dev", "cloudfunctions.net", "run.app"},
	},
	{
		names: []string{"azure_", "azdo_"},
		hosts: []string{"azure.com", "azure.net", "windows.net", "microsoft.com", "microsoftonline.com", "visualstudio.com", "azurewebsites.net", "azurecr.io"},
	},
	{
		names: []string{"stripe_"},
		hosts: []string{"stripe.com"},
	},
	{
		names: []string{"cloudflare_", "cf_api_"},
		hosts: []string{"cloudflare.com"},
	},
	{
		names: []string{"discord_"},
		hosts: []string{"discord.com", "discordapp.com"},
	},
	{
		names: []string{"telegram_"},
		hosts: []string{"telegram.org"},
	},
	{
		names: []string{"cargo_registry_", "crates_io_"},
		hosts: []string{"crates.io"},
	},
	{
		names: []string{"rubygems_", "gem_host_"},
		hosts: []string{"rubygems.org"},
	},
	{
		names: []string{"codecov_"},
		hosts: []string{"codecov.io"},
	},
	{
		names: []string{"vercel_"},
		hosts: []string{"vercel.com", "vercel.app", "vercel.sh"},
	},
	{
		names: []string{"sendgrid_"},
		hosts: []string{"sendgrid.com"},
	},
}

// collectors are the services that show whoever asks what was sent to them: request bins,
// tunnels, paste sites. Nothing secret has its place there.
var collectors = []string{
	// request bins
	"webhook.site", "requestbin.com", "requestbin.net", "requestcatcher.com", "pipedream.net", "beeceptor.com", "hookbin.com", "postb.in", "ptsv2.com", "ptsv3.com",
	"typedwebhook.tools", "webhook-test.com", "mockbin.io", "mockbin.org", "requestinspector.com", "requestrepo.com", "webhookinbox.com", "hookdeck.com", "smee.io",
	"burpcollaborator.net", "oastify.com", "interact.sh", "interactsh.com", "oast.pro", "oast.live", "oast.site", "oast.online", "oast.fun", "oast.me",
	"canarytokens.com", "canarytokens.org", "dnslog.cn", "ceye.io",
	// tunnels
	"ngrok.io", "ngrok.app", "ngrok.dev", "ngrok-free.app", "ngrok-free.dev", "trycloudflare.com", "loca.lt", "localtunnel.me", "localhost.run", "lhr.life",
	"serveo.net", "serveousercontent.com", "pagekite.me", "tunnelto.dev", "telebit.io", "bore.pub", "zrok.io", "devtunnels.ms", "tunnelmole.net", "pinggy.io", "pinggy.link",
	// paste sites and drops
	"pastebin.com", "paste.ee", "hastebin.com", "dpaste.com", "dpaste.org", "rentry.co", "transfer.sh", "file.io", "0x0.st", "ix.io", "termbin.com", "sprunge.us",
	"clbin.com", "paste.rs", "bashupload.com", "temp.sh", "tmpfiles.org", "gofile.io", "catbox.moe", "controlc.com", "privatebin.net", "justpaste.it", "paste.debian.net",
	"p.ip.fi", "oshi.at", "envs.sh", "ghostbin.com", "paste.c-net.org",
}

// ownersOf are the owners of the credential in the variable of that name: those of the
// longest beginning that fits. None is a credential whose owner nobody knows.
func ownersOf(name []byte) owners {
	var found owners
	longest := 0
	for k := range ownerships {
		for _, start := range ownerships[k].names {
			if n := len(start); n > longest && len(name) >= n && foldEqual(name[:n], start) {
				found, longest = 1<<k, n
			}
		}
	}
	return found
}

// several reports whether a set has two owners and more.
func (o owners) several() bool { return o&(o-1) != 0 }

// destination is what is known of a host to which something is sent.
type destination uint8

const (
	nobody    destination = iota // in a variable, a private address: of nobody that one could tell
	loopback                     // this machine
	literal                      // a name; its owners are known or there are none
	collector                    // shows everybody what it gets
)

// hostOf judges the host of a URL, without its port and user information.
func hostOf(host []byte) (destination, owners) {
	if len(host) == 0 || bytes.ContainsAny(host, "$%{}<>()*") {
		return nobody, 0
	}
	if address := ipAddress(host); address != noAddress {
		switch address {
		case thisMachine:
			return loopback, 0
		case privateAddress:
			return nobody, 0
		}
		return collector, 0
	}
	if inDomain(host, "localhost") {
		return loopback, 0
	}
	if bytes.IndexByte(host, '.') < 0 || inDomain(host, "internal") || inDomain(host, "local") || inDomain(host, "lan") {
		return nobody, 0 // a name of one network
	}
	for _, c := range collectors {
		if inDomain(host, c) {
			return collector, 0
		}
	}
	var of owners
	for k := range ownerships {
		if ownerships[k].owns(host) {
			of |= 1 << k
		}
	}
	return literal, of
}

func (o *ownership) owns(host []byte) bool {
	for _, h := range o.hosts {
		if inDomain(host, h) {
			return true
		}
	}
	label, rest, _ := bytes.Cut(host, []byte("."))
	if oneOf(label, o.first) {
		return true
	}
	for ; len(label) > 0; label, rest, _ = bytes.Cut(rest, []byte(".")) {
		if oneOf(label, o.labels) {
			return true
		}
	}
	return false
}

// oneOf reports whether a word is in the list, which is in lower case.
func oneOf(word []byte, list []string) bool {
	for _, w := range list {
		if foldEqual(word, w) {
			return true
		}
	}
	return false
}

// inDomain reports whether host is the domain or one of its subdomains.
func inDomain(host []byte, domain string) bool {
	n := len(host) - len(domain)
	return n >= 0 && foldEqual(host[n:], domain) && (n == 0 || host[n-1] == '.')
}

// address is the kind of an address of the Internet Protocol.
type ipKind uint8

const (
	noAddress ipKind = iota
	thisMachine
	privateAddress
	publicAddress
)

// ipAddress tells what address a host is, if it is one. Of the sixth version it knows
// the address of this machine, and those of private networks by their first digits.
func ipAddress(host []byte) ipKind {
	if host[0] == '[' {
		inner := bytes.TrimSuffix(host[1:], []byte("]"))
		switch {
		case string(inner) == "::1":
			return thisMachine
		case len(inner) > 2 && (foldEqual(inner[:2], "fc") || foldEqual(inner[:2], "fd") || foldEqual(inner[:2], "fe")):
			return privateAddress
		}
		return publicAddress
	}
	var parts [4]int
	rest := host
	for k := range parts {
		var digits []byte
		more := false
		digits, rest, more = bytes.Cut(rest, []byte("."))
		if len(digits) > 3 || !isDigits(digits) || more != (k < 3) {
			return noAddress
		}
		for _, d := range digits {
			parts[k] = parts[k]*10 + int(d-'0')
		}
	}
	switch a, b := parts[0], parts[1]; {
	case a == 127 || a == 0:
		return thisMachine
	case a == 10, a == 192 && b == 168, a == 172 && b >= 16 && b < 32, a == 169 && b == 254, a == 100 && b >= 64 && b < 128:
		return privateAddress
	}
	return publicAddress
}
