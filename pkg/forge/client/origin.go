package client

import (
	"net"
	"net/url"
	"strings"

	"snapline/pkg/fault"
)

// Authority gives host and port of u in lowercase, the port always written: the
// unit to which credentials are bound (AMB-78).
func Authority(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

const localhost = "localhost"

// Loopback reports whether host, without port, is this machine: a literal address of it,
// or its one name. Names under it are looked up like any other, so they are not (AMB-84).
func Loopback(host string) bool {
	if strings.EqualFold(host, localhost) {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// CheckScheme lets https pass, and http to this machine.
func CheckScheme(u *url.URL) error {
	switch {
	case u.Scheme == "https", u.Scheme == "http" && Loopback(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return fault.New(fault.Usage, "fetch.plain-http", "plain http is for this machine only; use https")
	}
	return fault.New(fault.Usage, "fetch.scheme", "the address must start with https://")
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && Authority(a) == Authority(b)
}
