#!/bin/sh
# Runs each job again whose `up` ended with exit code 10, for lack of GPUs: the same plan fits again. If the branch has moved on,
# it does nothing: the newer commit has a run of its own, and the older plan would undo it.
set -eu
actions=repos/$GITHUB_REPOSITORY/actions

gh api "$actions/artifacts?per_page=100" --jq '.artifacts[]
  | select((.name | startswith("awaiting-")) and (.expired | not) and .workflow_run.head_sha == env.GITHUB_SHA)
  | "\(.id) \(.workflow_run.id)"' |
  while read -r artifact run; do
    gh api --method DELETE "$actions/artifacts/$artifact"
    # This starts all failed jobs of the run, so it is refused for a second stack of the same run.
    gh api --method POST "$actions/runs/$run/rerun-failed-jobs" || echo "Run $run is running, or has no failed job." >&2
  done
