#!/bin/sh
# Checks our workflows, and those that users copy from the examples: their expressions, their schema, and their security.
# Needs Go, and Python with venv.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet check-jsonschema==0.39.0 zizmor==1.32.0

files=$(grep -rlE --include='*.yml' --include='*.yaml' --exclude-dir=node_modules '^jobs:' .github/workflows examples)
# It does not know `queue` of `concurrency` yet. Without the linters that it would find on some machines only.
# shellcheck disable=SC2086 # one word for each file
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes= -ignore 'unexpected key "queue"' $files
# shellcheck disable=SC2086
"$folder/bin/check-jsonschema" --builtin-schema vendor.github-workflows $files
"$folder/bin/check-jsonschema" --builtin-schema vendor.dependabot .github/dependabot.yml
# By name: in a folder, it would only find what lies in .github/workflows.
# shellcheck disable=SC2086
"$folder/bin/zizmor" --offline --quiet .github/dependabot.yml $files
