#!/bin/sh
# Makes the GitHub release of the tag that started this workflow: github.sh OUT.
# A second run, after a failure, continues where the first one ended.
set -eu
out=$1
tag=$GITHUB_REF_NAME

# The notes are the section of this version in CHANGELOG.md.
awk '/^## / { if (seen++) exit; next } seen' CHANGELOG.md >"$out.notes"
gh release view "$tag" >/dev/null 2>&1 || gh release create "$tag" --verify-tag --title "$tag" --notes-file "$out.notes"
gh release upload "$tag" "$out"/* --clobber
