# shellcheck shell=bash
# Masking of run credentials in the log of GitHub Actions; harness.sh reads it.

# utf8 prints a code point, whatever the locale is.
utf8() {
	local bytes
	if (($1 < 0x80)); then
		printf -v bytes '\\x%02x' "$1"
	elif (($1 < 0x800)); then
		printf -v bytes '\\x%02x' $((0xc0 | $1 >> 6)) $((0x80 | $1 & 63))
	elif (($1 < 0x10000)); then
		printf -v bytes '\\x%02x' $((0xe0 | $1 >> 12)) $((0x80 | $1 >> 6 & 63)) $((0x80 | $1 & 63))
	else
		printf -v bytes '\\x%02x' $((0xf0 | $1 >> 18)) $((0x80 | $1 >> 12 & 63)) $((0x80 | $1 >> 6 & 63)) $((0x80 | $1 & 63))
	fi
	printf '%b' "$bytes"
}

# json_string prints what a JSON string literal spells.
json_string() {
	local LC_ALL=C rest=${1#\"} text='' char code
	rest=${rest%\"}
	while [[ -n $rest ]]; do
		char=${rest:0:1} rest=${rest:1}
		if [[ $char == \\ ]]; then
			char=${rest:0:1} rest=${rest:1}
			case $char in
			n) char=$'\n' ;;
			r) char=$'\r' ;;
			t) char=$'\t' ;;
			b) char=$'\b' ;;
			f) char=$'\f' ;;
			u)
				code=$((16#${rest:0:4})) rest=${rest:4}
				if (((code & 0xfc00) == 0xd800)) && [[ ${rest:0:2} == '\u' ]]; then
					code=$((0x10000 + ((code & 0x3ff) << 10) + (16#${rest:2:4} & 0x3ff))) rest=${rest:6}
				fi
				char=$(utf8 "$code")
				;;
			esac
		fi
		text+=$char
	done
	printf '%s' "$text"
}

# mask tells GitHub Actions to hide a value, line by line as its log does.
mask() {
	local line
	while IFS= read -r line || [[ -n $line ]]; do
		line=${line%$'\r'}
		line=${line//'%'/%25}
		[[ -z ${line//[[:space:]]/} ]] || printf '::add-mask::%s\n' "$line"
	done <<<"$1"
}
