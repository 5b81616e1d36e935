#!/usr/bin/env bash
# Records the terminals that the README shows: real Pulumi commands against the simulator. Needs a build (`npm run build`), and
# on the PATH: pulumi, asciinema (PyPI) and svg-term (npm svg-term-cli). Writes docs/recordings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
repository=$PWD
out=$repository/docs/recordings
folder=$(mktemp -d)
export PULUMI_BACKEND_URL=file://$folder PULUMI_CONFIG_PASSPHRASE=demo PULUMI_SKIP_UPDATE_CHECK=true
export GPUCLUSTER_API_KEY=demo-key

node dist/sdk/command.js simulator --port 0 --api-key "$GPUCLUSTER_API_KEY" --provisioning-ms 6000 > "$folder/simulator.json" &
simulator=$!
trap 'kill $simulator; rm -rf "$folder"' EXIT
until [ -s "$folder/simulator.json" ]; do sleep 0.1; done
GPUCLUSTER_BASE_URL=$(node -p "JSON.parse(require('fs').readFileSync('$folder/simulator.json')).url")
export GPUCLUSTER_BASE_URL

mkdir "$folder/demo"
cd "$folder/demo"
cat > Pulumi.yaml <<YAML
name: shop
runtime: yaml
plugins: { providers: [{ name: gpucluster, path: $repository/plugin }] }
config: { replicas: { type: integer, default: 2 }, gpuType: { type: string, default: h100 } }
resources:
  web:
    type: gpucluster:Cluster
    properties:
      gpuType: \${gpuType}
      replicas: \${replicas}
      container: ghcr.io/ggml-org/llama.cpp:server-cuda-b11206
      env: { LLAMA_ARG_HF_REPO: ggml-org/gpt-oss-20b-GGUF, LLAMA_ARG_PORT: "80" }
      readinessProbe: { path: /health }
outputs:
  endpoint: \${web.endpoint}
YAML
pulumi stack init dev > /dev/null

# Records one script of commands, each shown before it runs.
record() {
  local name=$1
  shift
  printf '#!/usr/bin/env bash\n' > "$folder/$name.sh"
  for command in "$@"; do
    printf 'printf "\\033[1m$ %%s\\033[0m\\n" %q\nsleep 1\n%s || true\nsleep 1.5\n' "$command" "${shown[$command]:-$command}" >> "$folder/$name.sh"
  done
  asciinema rec --quiet --overwrite --cols 100 --rows 24 --idle-time-limit 1.5 --env '' --title "$name" \
    --command "bash $folder/$name.sh" "$out/$name.cast"
  svg-term --in "$out/$name.cast" --out "$out/$name.svg" --window --no-cursor
}

# What runs in place of a command that is shown.
declare -A shown=(
  ["pulumi up"]="pulumi up --yes --skip-preview --suppress-outputs=false"
  ["pulumi up    # Ctrl-C after a few seconds"]="timeout --foreground --signal INT 9 pulumi up --yes --skip-preview"
)

record first-up "pulumi up"
record preview "pulumi config set gpuType l4" "pulumi preview --diff"
pulumi config set gpuType h100
pulumi config set replicas 6
record interrupt "pulumi up    # Ctrl-C after a few seconds" "pulumi up"
pulumi destroy --yes --skip-preview > /dev/null
