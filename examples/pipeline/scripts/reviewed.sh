#!/bin/sh
# Names the commit whose plan of the stack $PULUMI_STACK is to be applied, and the run that made it: the last preview of the pull request whose merge
# this commit is; in a run by hand, the preview in the same run. Ends with 1 where there is none.
set -eu

if [ "$GITHUB_EVENT_NAME" = workflow_dispatch ]; then
  commit=$GITHUB_SHA
  run=$GITHUB_RUN_ID
else
  commit=$(gh api "repos/$GITHUB_REPOSITORY/commits/$GITHUB_SHA/pulls" --jq \
    '[.[] | select(.merge_commit_sha == env.GITHUB_SHA).head.sha][0] // empty')
  # Anybody can open a pull request from a copy of the repository, and upload any file there under this name; and so can
  # another branch here.
  run=$(gh api "repos/$GITHUB_REPOSITORY/actions/artifacts?name=plan-$PULUMI_STACK-$commit" --jq \
    "[.artifacts[] | select(.expired | not).workflow_run
      | select(.head_repository_id == .repository_id and .head_sha == \"$commit\").id][0] // empty")
fi

if [ -z "$commit" ] || [ -z "$run" ]; then
  echo "No reviewed plan belongs to commit $GITHUB_SHA. Run this workflow by hand: it previews first." >&2
  exit 1
fi
printf 'commit=%s\nrun=%s\n' "$commit" "$run" >>"$GITHUB_OUTPUT"
