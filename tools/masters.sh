#!/usr/bin/env bash
# Installs master controls of others, which drive our vehicles in tests, into an environment of their own.
# Usage: tools/masters.sh [DIRECTORY]; it needs python3 and npm.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$(realpath -m "${1:-$root/.venv-masters}")
locks=$root/requirements
unset PYTHONPATH PYTHONHOME

made=$(cat "$locks"/masters*.txt "$root"/tools/masters/*.json | sha256sum)
if [[ -f $venv/made && $(<"$venv/made") == "$made" ]]; then
  exit 0
fi
rm -rf "$venv"
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$locks/masters.txt"
"$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r "$locks/masters-core.txt" ||
  echo "masters: vda5050-core has no wheel for this Python; its tests are skipped" >&2
cp "$root"/tools/masters/package*.json "$venv"
(cd "$venv" && npm ci --silent --no-audit --no-fund)
printf '%s\n' "$made" >"$venv/made"
