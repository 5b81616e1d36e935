#!/bin/sh
# Installs the program's packages and the Pulumi CLI, both in fixed versions. Code of others runs here, so without the key.
set -eu
cd "$(dirname "$0")/.."

npm ci

# A file in between, because a pipe would hide a download that failed.
installer=$(mktemp)
curl -fsSL -o "$installer" https://get.pulumi.com
sh "$installer" --version 3.250.0
echo "$HOME/.pulumi/bin" >>"$GITHUB_PATH"
