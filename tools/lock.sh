#!/usr/bin/env bash
# Pins the packages of one ROS distribution in requirements/: what programs import, what builds them, what develops them,
# and the installer. Each file holds only what the ones before it do not hold for every Python.
# Usage: tools/lock.sh ROS [OPTION OF uv...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../requirements"
ros=$1
shift

pin() { # FILE.txt INPUT... OPTION...
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --output-file "$@"
}

for_every_python() { # FILE: the packages that it holds in one version for all Pythons, or in one for each
  grep '^[a-z0-9-]*==' "$1" | awk -F '==' '!/ ; python_full_version/ || seen[$1]++ { print $1 }'
}

inputs=()
before=()
for layer in run build develop; do
  inputs+=("$ros-$layer.in")
  pin "$ros-$layer.txt" "${inputs[@]}" "${before[@]}" "$@"
  before+=(--constraint "$ros-$layer.txt")
  while read -r name; do
    before+=(--no-emit-package "$name")
  done < <(for_every_python "$ros-$layer.txt")
done
pin installer.txt installer.in "$@"
pin masters.txt masters.in "$@"
pin masters-core.txt masters-core.in "$@"
