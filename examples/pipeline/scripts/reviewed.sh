#!/bin/sh
# Names the run and the artifact that hold the plan to apply: the last preview of the pull request whose merge this commit
# is; in a run by hand, the preview in the same run. Ends with 1 where there is none.
set -eu

if [ "$GITHUB_EVENT_NAME" = workflow_dispatch ]; then
  commit=$GITHUB_SHA
  run=$GITHUB_RUN_ID
else
  commit=$(gh api "repos/$GITHUB_REPOSITORY/commits/$GITHUB_SHA/pulls" --jq '.[0].head.sha // empty')
  # Anybody can open a pull request from a copy of the repository, and upload any file there under this name.
  run=$(gh api "repos/$GITHUB_REPOSITORY/actions/artifacts?name=plan-$commit" --jq \
    '[.artifacts[] | select(.expired | not).workflow_run | select(.head_repository_id == .repository_id).id][0] // empty')
fi

if [ -z "$commit" ] || [ -z "$run" ]; then
  echo "No reviewed plan belongs to commit $GITHUB_SHA. Run this workflow by hand: it previews first." >&2
  exit 1
fi
printf 'name=plan-%s\nrun=%s\n' "$commit" "$run" >>"$GITHUB_OUTPUT"
