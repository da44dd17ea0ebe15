//go:build !linux && !darwin

package cli

// Publication, locks and sealing rest on POSIX calls; elsewhere the build stops here.
var _ = snapline_supports_linux_and_macos_only
