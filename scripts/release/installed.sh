#!/bin/sh
# Installs the package in an empty folder, as a user does, and runs the program of `npm start` with it, on its simulator:
#   installed.sh PACKAGE     such as pulumi-gpucluster@0.1.0, or a file
# Needs the Pulumi CLI on the PATH.
set -eu
program=$(cd "$(dirname "$0")/../../examples/quickstart" && pwd)/index.ts
folder=$(mktemp -d)
trap 'kill "$simulator" 2>/dev/null || true; rm -rf "$folder"' EXIT
simulator=
cd "$folder"
cp "$program" .
echo '{ "private": true, "main": "index.ts" }' >package.json
printf 'name: installed\nruntime: nodejs\n' >Pulumi.yaml
npm install --no-audit --no-fund "$1" @pulumi/pulumi typescript@5 @types/node@20

node_modules/.bin/pulumi-gpucluster simulator --port 0 --provisioning-ms 2000 >service.json &
simulator=$!
until grep -q url service.json; do sleep 0.2; done
GPUCLUSTER_BASE_URL=$(sed 's/.*"url":"\([^"]*\)".*/\1/' service.json)
GPUCLUSTER_API_KEY=$(sed 's/.*"apiKey":"\([^"]*\)".*/\1/' service.json)
PULUMI_BACKEND_URL=file://$folder PULUMI_CONFIG_PASSPHRASE=only-here PULUMI_STACK=installed
export GPUCLUSTER_BASE_URL GPUCLUSTER_API_KEY PULUMI_BACKEND_URL PULUMI_CONFIG_PASSPHRASE PULUMI_STACK
pulumi stack init installed
pulumi up --yes --non-interactive
pulumi preview --expect-no-changes --non-interactive
pulumi destroy --yes --non-interactive
