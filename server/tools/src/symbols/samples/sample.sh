#!/usr/bin/env bash
# A sample.

set -euo pipefail

LIMIT=10
readonly NAME="x"
export PATH_EXTRA=/opt
declare -A table=([a]=1)
LIMIT=20

# Prints a line.
say() {
  local text=$1
  inside=2
  echo "${text}: $LIMIT"
}

function run_all {
  nested() {
    say "nested"
  }
  for name in "$@"; do
    nested "$name" | sort
  done
}

if [[ $LIMIT -gt 5 ]]; then
  compat=true
fi

run_all "$@"
