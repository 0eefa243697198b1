#!/usr/bin/env bash
# Sets up the virtual environment of one ROS distribution: wheels, interface packages, and this project.
# Usage: tools/setup.sh [jazzy|kilted] [DIRECTORY]
# Each stage leaves a stamp with the hash of its inputs. A stage without a matching stamp is made again.
set -euo pipefail
shopt -s globstar

ros=${1:-jazzy}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$(realpath -m "${2:-$root/.venv}")
lock=$root/requirements/$ros.txt
stamps=$venv/stamps
logs=$venv/log
build=$venv/build/interfaces

# Another ROS environment must not leak into this one.
unset PYTHONPATH PYTHONHOME AMENT_PREFIX_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

die() {
  printf 'set-up: %s\n' "$@" >&2
  exit 1
}

hash_of() { # FILE...: their names and contents
  sha256sum -- "$@" | sha256sum | cut -d ' ' -f 1
}

packages_hash() {
  printf '%s\n' "$venv"
  "${PYTHON:-${python:-$venv/bin/python}}" -IS -c 'import sys; print(sys.version, sys.base_prefix)'
  hash_of "$lock" "$root/.python-version" "${BASH_SOURCE[0]}"
}

interfaces_hash() {
  hash_of "$root"/{interfaces,tools/wheels}/**/*.*
}

project_hash() {
  printf '%s\n' "${THYMIO_FLEET_COMPILED:-yes}"
  hash_of "$root"/{setup.py,setup.cfg,pyproject.toml,tools/compiled.txt,tools/compiled.py}
  (cd "$root" && "$venv/bin/python" -IS tools/compiled.py | xargs sha256sum -- | sha256sum)
}

is_made() { # STAGE
  [[ -f $stamps/$1 ]] && [[ $(<"$stamps/$1") == "$("$1_hash" 2>/dev/null)" ]] && "$1_whole"
}

packages_whole() { # nothing has been removed since
  "$venv/bin/python" -IS -c '' 2>/dev/null && [[ -z $(comm -23 "$stamps/contents" <(contents)) ]]
}

interfaces_whole() {
  installed_interfaces | xargs -d '\n' ls -- &>/dev/null
}

project_whole() {
  [[ ${THYMIO_FLEET_COMPILED:-yes} == no || -n $(compgen -G "$root/fleet/compiled__mypyc*.so") ]] &&
    [[ -x $venv/bin/thymio-fleet && -x $venv/bin/asebaros && -x $venv/bin/multi_thymio_driver && -x $venv/bin/thymio_simulator ]]
}

installed_interfaces() { # the files of all packages; fails if there are none
  grep -hs '' "$build"/*/install_manifest.txt
}

contents() {
  (cd "$venv" && printf '%s\n' lib/python3.*/site-packages/* share/* | LC_ALL=C sort)
}

run() { # LOG COMMAND...: quiet unless it fails
  local log=$logs/$1.log
  shift
  if ! "$@" >>"$log" 2>&1; then
    printf '\nset-up: this step failed: %s\n' "$*" >&2
    tail -n 30 "$log" | sed 's/^/  | /' >&2
    die "the whole log: $log" "once that is fixed, run the same command again; finished stages are kept"
  fi
}

stage() { # NAME TEXT: make it, print how long it took, stamp it with the hash of its inputs at the start
  local start=$EPOCHREALTIME hash
  hash=$("$1_hash")
  printf '%-34s' "$2"
  rm -f "$stamps/$1" "$logs/$1.log"
  "make_$1"
  mkdir -p "$stamps"
  printf '%s\n' "$hash" >"$stamps/$1.new"
  mv "$stamps/$1.new" "$stamps/$1"
  printf '%4d s\n' $(((${EPOCHREALTIME/./} - ${start/./}) / 1000000))
}

find_python() { # sets `python`, or says what is missing
  local candidate reason first_reason=
  for candidate in ${PYTHON:-python3 python3.12 python3.13 python3.14 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-4].*/bin/python3}; do
    python=$(cd "$root" && "$candidate" -c 'import sys; print(sys.executable)' 2>/dev/null) || continue
    reason=$("$python" "$root/tools/suitable_python.py") && return
    # The reason of a Python of the right version that lacks something says more than that of one that is too old.
    [[ -z $first_reason || $first_reason == *\;\ Python\ 3* ]] && first_reason=$reason
  done
  die "${first_reason:-${PYTHON:-python3} was not found: apt-get install python3 python3-venv python3-dev}" \
    "another interpreter: make setup PYTHON=/path/to/python3.12"
}

make_packages() {
  rm -rf "$venv"
  mkdir -p "$logs"
  run packages "$python" -m venv "$venv"
  run packages "$venv/bin/pip" install --progress-bar off --no-compile -r "$lock"
  run packages "$venv/bin/python" -m compileall -q -j 0 "$venv/lib"
  mkdir -p "$stamps"
  contents >"$stamps/contents"
}

make_interfaces() {
  local PATH=$venv/bin:$PATH
  if installed_interfaces >/dev/null; then
    installed_interfaces | xargs -d '\n' rm -f --
  fi
  rm -rf "$build"
  run interfaces cmake -G Ninja -S "$root/tools/wheels" -B "$build" \
    -DCMAKE_INSTALL_PREFIX="$venv" -DPython3_EXECUTABLE="$venv/bin/python"
  run interfaces cmake --build "$build"
}

make_project() {
  (cd "$root" && find aseba_link experiments fleet simulator thymio_base -name '*.so' -delete)
  THYMIO_FLEET_COMPILED=no run project "$venv/bin/pip" install --no-deps --no-build-isolation --editable "$root"
  if [[ ${THYMIO_FLEET_COMPILED:-yes} != no ]]; then
    rm -rf "$venv/build/core" # the compiler's cache of other sources can make it fail
    (cd "$root" && MYPY_CACHE_DIR=$venv/build/core/mypy run project "$venv/bin/python" setup.py build_ext --inplace \
      --build-temp "$venv/build/core" --build-lib "$venv/build/core" --parallel 2)
  fi
  run project "$venv/bin/python" "$root/tools/check_setup.py"
}

[[ -f $lock ]] || die "there is no requirements/$ros.txt; known distributions: jazzy, kilted"
exec 9<"$root"
flock -n 9 || { echo "waiting for another set-up of this directory"; flock 9; }

start=$EPOCHREALTIME
if ! is_made packages; then
  find_python
  command -v c++ g++ >/dev/null || die "there is no C++ compiler, which interfaces/ needs: apt-get install g++"
  stage packages "Python and ROS 2 $ros packages"
fi
is_made interfaces || stage interfaces "Interface packages"
is_made project || stage project "thymio_fleet"
touch -c "$root"/{fleet,aseba_link}/compiled__mypyc*.so # newer than the sources, which have not changed since
if ((${EPOCHREALTIME/./} - ${start/./} > 1000000)); then
  echo "ready: ${venv#"$root"/}/bin/thymio-fleet"
fi
