#!/usr/bin/env bash
# Makes the pictures of docs/pictures anew: the report of the shipped capture, light and
# dark, in Chromium. A test says when they are no longer those of the current page.
#
# usage: pictures.sh
set -euo pipefail

case ${1:-} in
--help)
	sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 0
	;;
?*)
	printf 'pictures.sh: no argument is taken (try pictures.sh --help)\n' >&2
	exit 2
	;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	printf 'pictures.sh: Chromium is missing\n' >&2
	exit 4
}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

SNAPLINE_PICTURE=$work/page.html go test -count=1 -run TestPicturesAreCurrent ./pkg/read/report >/dev/null
mkdir -p docs/pictures
# The two schemes of the browser: 1 is light, 0 is dark.
for scheme in light:1 dark:0; do
	"$chromium" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$work/profile" --hide-scrollbars \
		--blink-settings=preferredColorScheme="${scheme#*:}" --window-size=1200,1060 \
		--screenshot="$work/${scheme%:*}.png" "file://$work/page.html" 2>/dev/null
	mv "$work/${scheme%:*}.png" "docs/pictures/report-${scheme%:*}.png"
done
sha256sum "$work/page.html" | cut -d' ' -f1 >docs/pictures/report.sha256
