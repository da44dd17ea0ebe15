#!/usr/bin/env bash
# Remakes every generated file of the repository: tables, placements, the version of the
# filter, generated parts of the documentation, and every golden. What it leaves changed was
# out of date: look at the difference before you commit it.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"

# Tables of the rules, then what depends on them.
go generate ./...

# golden PACKAGE TEST: the tests of a package that rewrite what they compare with.
golden() { go test -count=1 "./pkg/$1" -run "^($2)\$" -update >/dev/null || { echo "regen: the tests of $1 rewrite nothing: go test ./pkg/$1 -run '$2' -update" >&2; exit 1; }; }

golden safety TestPrecision
golden stream 'TestVectors|TestAcceptedVectors'
golden stage/bound TestGolden
golden stage/emit TestGolden
golden endtoend TestGoldenPipelines
