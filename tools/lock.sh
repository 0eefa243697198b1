#!/usr/bin/env bash
# Pins the packages of one ROS distribution in requirements/: what programs import, what builds them, what develops them,
# and the installer. Each file holds only what the ones before it do not hold for every Python.
# Usage: tools/lock.sh ROS [OPTION OF uv...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../requirements"
ros=$1
shift

pin() { # FILE.txt INPUT... OPTION...
  uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header --output-file "$@"
}

inputs=()
before=()
for layer in run build develop; do
  inputs+=("$ros-$layer.in")
  pin "$ros-$layer.txt" "${inputs[@]}" "${before[@]}" "$@"
  before+=(--constraint "$ros-$layer.txt")
  while read -r name; do
    before+=(--no-emit-package "$name")
  done < <(grep '^[a-z0-9-]*==' "$ros-$layer.txt" | grep -v " ; python_full_version" | sed 's/==.*//')
done
pin installer.txt installer.in "$@"
