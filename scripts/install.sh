#!/usr/bin/env bash
# Installs a released archive of snapline below a directory, after its checksum was compared.
#
# usage: install.sh VERSION [DIR]      default DIR: ~/.local/lib/snapline
#
#   SNAPLINE_RELEASES   where the archives are: an address or a directory
#                       (default: the releases of the repository)
#
# The programs have common names, so they go into DIR/bin, which you name or put last on
# the PATH; nothing outside DIR is changed. An existing DIR/bin is replaced as a whole.
set -euo pipefail

# The one place that names the owner of the repository.
OWNER=snapline

fail() {
	printf 'install.sh: %s\n' "$1" >&2
	exit "$2"
}

case ${1:-} in
--help)
	sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
'' | -*) fail 'a version is needed, for example 0.1.0 (try install.sh --help)' 2 ;;
esac
version=${1#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail 'the version has the form 1.2.3' 2
dir=${2:-$HOME/.local/lib/snapline}
from=${SNAPLINE_RELEASES:-https://github.com/$OWNER/snapline/releases/download/v$version}

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail 'there are archives for Linux and macOS only' 1 ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail 'there are archives for amd64 and arm64 only' 1 ;;
esac
archive=snapline_${version}_${os}_${arch}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
get() {
	case $from in
	https://*) curl -fsSL --proto '=https' --retry 3 -o "$work/$1" "$from/$1" ;;
	/*) cp "$from/$1" "$work/$1" ;;
	*) fail 'SNAPLINE_RELEASES is an https address or an absolute path' 2 ;;
	esac || fail "$1 of version $version cannot be had" 4
}
get checksums.txt
get "$archive.tar.gz"

want=$(awk -v name="$archive.tar.gz" '$2 == name { print $1 }' "$work/checksums.txt")
[[ $want =~ ^[0-9a-f]{64}$ ]] || fail "checksums.txt has no line for $archive.tar.gz" 1
if command -v sha256sum >/dev/null; then
	got=$(sha256sum "$work/$archive.tar.gz")
else
	got=$(shasum -a 256 "$work/$archive.tar.gz")
fi
[[ ${got%% *} == "$want" ]] || fail "the checksum of $archive.tar.gz differs; nothing was installed" 1

tar -xzf "$work/$archive.tar.gz" -C "$work"
for program in fetch filter bound emit verify; do
	[[ -f $work/$archive/$program ]] || fail "the archive has no $program; nothing was installed" 1
done
mkdir -p "$dir"
rm -rf "$dir/new"
mkdir -p "$dir/new/bin"
for program in fetch filter bound emit verify; do
	install -m 0755 "$work/$archive/$program" "$dir/new/bin/$program"
done
for part in scripts man completion example LICENSE README.md CHANGELOG.md; do
	[[ ! -e $work/$archive/$part ]] || cp -R "$work/$archive/$part" "$dir/new/$part"
done
for part in "$dir/new"/*; do
	rm -rf "${dir:?}/${part##*/}"
	mv "$part" "$dir/${part##*/}"
done
rmdir "$dir/new"
printf 'snapline %s is in %s/bin\n' "$version" "$dir"
