#!/bin/sh
# Compares the clusters with the state and changes nothing. Ends with 0: no drift; 7: drift; anything else: not found out.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out

code=0
pulumi refresh --preview-only --expect-no-changes --json >out/drift.json || code=$?
node scripts/summary.mjs Drift out/drift.json >out/summary.md
tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}" <out/summary.md
if [ "$code" -eq 7 ]; then echo "Drift. A run of this workflow by hand shows what would put it back, and does it." >&2; fi
exit "$code"
