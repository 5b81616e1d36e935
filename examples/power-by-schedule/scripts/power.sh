#!/bin/sh
# Stops or starts the clusters of the stack: `power.sh stopped`, `power.sh running`.
set -eu
cd "$(dirname "$0")/.."

pulumi config set power "${1:?running or stopped}"
# `exec`, because a runner that cancels a job signals only the step's first process. `--refresh` finds what others have
# started or stopped by hand.
exec pulumi up --yes --skip-preview --refresh
