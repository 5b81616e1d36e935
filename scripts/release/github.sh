#!/bin/sh
# Makes the GitHub release of the tag that started this workflow, and the tag of the Go module: github.sh OUT.
# A second run, after a failure, continues where the first one ended.
set -eu
out=$1
tag=$GITHUB_REF_NAME
module=sdk/go/gpucluster

# Go reads a module from a tag that begins with its folder. Only the commit of that tag has the folder.
gh auth setup-git
remote="https://github.com/$GITHUB_REPOSITORY.git"
if ! git ls-remote --exit-code "$remote" "refs/tags/$module/$tag" >/dev/null; then
  mkdir -p "$module"
  tar -xzf "$out/sdk-go-$tag.tar.gz" -C "$module"
  git add --force "$module"
  git -c user.name="$GITHUB_ACTOR" -c user.email="$GITHUB_ACTOR@users.noreply.github.com" \
    commit --quiet --message "Go SDK $tag"
  git push --quiet "$remote" "HEAD:refs/tags/$module/$tag"
fi

# The notes are the section of this version in CHANGELOG.md.
awk '/^## / { if (seen++) exit; next } seen' CHANGELOG.md >"$out.notes"
gh release view "$tag" >/dev/null 2>&1 || gh release create "$tag" --verify-tag --title "$tag" --notes-file "$out.notes"
gh release upload "$tag" "$out"/* --clobber
