#!/bin/sh
# Applies out/plan.json, the plan that was reviewed for the commit $PLAN_COMMIT, and fails where the program or the clusters
# are not what it was made of.
set -eu
cd "$(dirname "$0")/.."

if [ "$(cat out/commit)" != "${PLAN_COMMIT:?names the commit whose plan is applied}" ]; then
  echo "out/plan.json was made for commit $(cat out/commit), and not for $PLAN_COMMIT. Run the workflow by hand." >&2
  exit 1
fi
rm -f out/awaiting

# Where a plan does not fit, the CLI prints the values that differ in clear, those of env too: mask.mjs takes them out.
folder=$(mktemp -d)
mkfifo "$folder/output"
node scripts/mask.mjs <"$folder/output" &
exec >"$folder/output" 2>&1
rm -r "$folder"

# `exec`, because a runner that cancels a job signals the step's first process only, and kills everything ten seconds later:
# this way it is the CLI that hears it, and keeps in the state what it has begun.
exec pulumi up --yes --skip-preview --refresh --plan out/plan.json
