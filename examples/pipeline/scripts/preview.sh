#!/bin/sh
# Previews the stack $PULUMI_STACK and changes nothing. Writes out/plan.json, which up.sh applies for the commit $PLAN_COMMIT
# and no other, and the summary.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out
rm -f out/plan.json
echo "${PLAN_COMMIT:?names the commit that is previewed}" >out/commit

code=0
pulumi preview --refresh --json --save-plan out/plan.json >out/preview.json || code=$?
node scripts/summary.mjs Preview out/preview.json >out/summary.md
tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}" <out/summary.md
exit "$code"
