#!/bin/sh
# Stops the clusters of the stack $PULUMI_STACK that are past their `runUntil`, and changes no other. Nothing else stops them.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out

code=0
npx --no -- pulumi-gpucluster report --stack "$PULUMI_STACK" --expired --json >out/expired.json || code=$?
if [ "$code" -ne 3 ]; then exit "$code"; fi

targets=$(node -p 'require("./out/expired.json").expired.flatMap(({ managedBy }) => managedBy).map(({ urn }) => `--target\n${urn}`).join("\n")')
# A line for each argument, because the name of a resource may contain a space.
IFS='
'
# shellcheck disable=SC2086 # one word for each line
set -- ${targets:?names the clusters}
# `--refresh`, because the state of a cluster that somebody has started again says that it is stopped.
exec pulumi up --yes --refresh "$@"
