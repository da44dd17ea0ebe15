#!/usr/bin/env bash
# A fetch stage in shell: fixtures in, a stream snapline/1 out.
#
#   stage.sh FOLDER
#
# FOLDER holds issue.env (names and values of one issue), body.txt and
# comments.tsv (id, created_at, author, text; tab-separated, in order of time).
set -euo pipefail

folder=$1
# shellcheck source=/dev/null
source "$folder/issue.env"

# literal TEXT: a JSON string literal of a text without control characters.
literal() {
  local s=$1
  s=${s//\\/\\\\}
  s=${s//\"/\\\"}
  printf '"%s"' "$s"
}

# key KIND ID: four fields, joined by zero bytes.
key() {
  printf '%s://%s\0%s\0%s\0%s' "$FORGE" "$HOST" "$REPOSITORY_ID" "$1" "$2" | sha256sum | cut -d ' ' -f 1
}

lines() {
  printf '{"type":"snapshot","stream":"snapline/1","family":"entity-context-snapshot","stages":[{"stage":"fetch","program":"stage.sh","version":"1"}],'
  printf '"source":{"forge":"%s","host":"%s","repository_id":"%s","repository":"%s"},' "$FORGE" "$HOST" "$REPOSITORY_ID" "$REPOSITORY"
  printf '"entity":{"kind":"work_item","id":"%s","number":%d,"title":%s,"state":"open","author_id":"%s","created_at":"%s","updated_at":"%s","labels":[]},' \
    "$ID" "$NUMBER" "$(literal "$TITLE")" "$AUTHOR" "$CREATED" "$UPDATED"
  printf '"collection":{"admission":{"human_min_role":"triage"},"bounds":{"max_labels":20,"max_log_bytes":65536,"max_metadata_string_bytes":1024,"max_record_bytes":32768,"max_records_per_source":100,"max_source_bytes":1048576},'
  printf '"check_log_selection":"none","entity_kind":"work_item","included_sources":["comments","entity"],"record_selection":"newest"}}\n'

  { printf '%s\n' "$AUTHOR"; cut -f 3 "$folder/comments.tsv"; } | LC_ALL=C sort -u | while read -r id; do
    printf '{"type":"actor","id":"%s","kind":"human","login":"user-%s","role":"write","role_verified":true}\n' "$id" "$id"
  done

  printf '{"type":"record","kind":"entity","id":"%s","record_key":"%s","created_at":"%s","updated_at":"%s","author_id":"%s","body":%s}\n' \
    "$ID" "$(key entity "$ID")" "$CREATED" "$UPDATED" "$AUTHOR" "$(literal "$(<"$folder/body.txt")")"

  while IFS=$'\t' read -r id when who text; do
    printf '{"type":"record","kind":"comment","id":"%s","record_key":"%s","created_at":"%s","author_id":"%s","body":%s}\n' \
      "$id" "$(key comment "$id")" "$when" "$who" "$(literal "$text")"
  done <"$folder/comments.tsv"
}

stream=$(lines)
printf '%s\n' "$stream"
printf '{"type":"end","lines":%d,"sha256":"%s"}\n' "$(printf '%s\n' "$stream" | wc -l)" "$(printf '%s\n' "$stream" | sha256sum | cut -d ' ' -f 1)"
