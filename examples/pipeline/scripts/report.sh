#!/bin/sh
# Compares the clusters that the key sees with the states of all stacks, $PULUMI_STACKS, and changes nothing. Ends with 0: every
# cluster that is older than a day is managed; 3: some are not; anything else: not found out.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out

set --
for stack in $PULUMI_STACKS; do set -- "$@" --stack "$stack"; done

code=0
npx --no -- pulumi-gpucluster report "$@" --markdown --fail-on-unmanaged --older-than 1d >out/report.md || code=$?
tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}" <out/report.md
if [ "$code" -eq 3 ]; then echo "Nobody manages some clusters. Adopt them (\`adopt\`), or delete them at the service." >&2; fi
exit "$code"
