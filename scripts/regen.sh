#!/usr/bin/env bash
# Remakes every generated file of the repository. What it leaves changed was out of date.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"
go generate ./...
