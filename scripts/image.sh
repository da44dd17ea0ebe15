#!/usr/bin/env bash
# Makes a container image of the five programs as an OCI archive, without a container engine.
#
# usage: image.sh FILE [ARCH]        ARCH: amd64 or arm64; default: this machine's
#
# The image holds the static programs, the certificates of this system and nothing else,
# and runs as an unprivileged user. The same commit gives the same bytes.
set -euo pipefail

case ${1:-} in
--help)
	sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
'' | -*)
	printf 'image.sh: the file to make is needed (try image.sh --help)\n' >&2
	exit 2
	;;
esac
[[ ! -e $1 ]] || {
	printf 'image.sh: the file exists\n' >&2
	exit 2
}
file=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
arch=${2:-$(go env GOARCH)}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pack FILE DIR: a tar of DIR whose bytes depend on names, modes and contents alone.
pack() {
	tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$2" -cf "$1" .
}

# blob FILE: moves FILE into the layout and prints its digest.
blob() {
	local digest
	digest=$(sha256sum "$1")
	digest=${digest%% *}
	mv "$1" "$work/layout/blobs/sha256/$digest"
	printf '%s' "$digest"
}

mkdir -p "$work/root/usr/bin" "$work/root/tmp" "$work/root/etc/ssl/certs" "$work/layout/blobs/sha256"
chmod 1777 "$work/root/tmp"
CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -o "$work/root/usr/bin/" ./cmd/...
for bundle in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
	if [[ -r $bundle ]]; then
		install -m 0644 "$bundle" "$work/root/etc/ssl/certs/ca-certificates.crt"
		break
	fi
done
chmod -R go=rX "$work/root/usr" "$work/root/etc"

pack "$work/layer.tar" "$work/root"
diff=$(sha256sum "$work/layer.tar")
diff=${diff%% *}
gzip -n -9 "$work/layer.tar"
layer_size=$(wc -c <"$work/layer.tar.gz")
layer=$(blob "$work/layer.tar.gz")

printf '{"architecture":"%s","config":{"Env":["PATH=/usr/bin"],"User":"65532:65532","WorkingDir":"/tmp"},"os":"linux","rootfs":{"diff_ids":["sha256:%s"],"type":"layers"}}' "$arch" "$diff" >"$work/config"
config_size=$(wc -c <"$work/config")
config=$(blob "$work/config")

printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%d},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:%s","size":%d}]}' \
	"$config" "$config_size" "$layer" "$layer_size" >"$work/manifest"
manifest_size=$(wc -c <"$work/manifest")
manifest=$(blob "$work/manifest")

printf '{"imageLayoutVersion":"1.0.0"}' >"$work/layout/oci-layout"
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%d,"platform":{"architecture":"%s","os":"linux"}}]}' \
	"$manifest" "$manifest_size" "$arch" >"$work/layout/index.json"
pack "$file" "$work/layout"
printf 'sha256:%s\n' "$manifest"
