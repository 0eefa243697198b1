#!/usr/bin/env bash
# Sets up the virtual environment of one ROS distribution: packages, interface packages, this project, its compiled core.
# Usage: tools/setup.sh [jazzy|kilted] [DIRECTORY] [develop|run|core|objects]; run leaves out what only developers need and
# the core, core makes the core alone, objects compiles it without installing it. A script that sources this file gets the
# functions.
# Each stage leaves a stamp with the hash of its inputs. A stage without a matching stamp is made again.
set -euo pipefail

ros=${1:-jazzy}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$(realpath -m "${2:-$root/.venv}")
locks=$root/requirements
stamps=$venv/stamps
logs=$venv/log
build=$venv/build
compiled=${THYMIO_FLEET_COMPILED:-yes}
needed_mb=1500 # .venv takes 550 MB, with the tools of developers 1100 MB, and the caches of the installer and the compiler need room

# Another ROS environment must not leak into this one.
unset PYTHONPATH PYTHONHOME AMENT_PREFIX_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

die() {
  printf 'set-up: %s\n' "$@" >&2
  exit 1
}

# ---- what each stage is made from

hash_of() { # FILE...: their names and contents
  sha256sum -- "$@" | sha256sum | cut -d ' ' -f 1
}

packages_hash() { # a folder that was moved has another $venv, and its programs would still run those of the old one
  printf '%s\n' "$venv"
  "${PYTHON:-${python:-$venv/bin/python}}" -IS -c 'import sys; print(sys.version, sys.base_prefix)'
  hash_of "$locks/installer.txt" "$locks/$ros-"{run,build}.txt "$root/.python-version"
}

develop_hash() {
  hash_of "$locks/$ros-develop.txt"
}

interfaces_hash() {
  (cd "$root" && find interfaces tools/wheels -name __pycache__ -prune -o -type f -print0 | sort -z |
    xargs -0 sha256sum -- | sha256sum)
}

project_hash() {
  printf '%s\n' "$root"
  hash_of "$root"/{setup.py,setup.cfg,pyproject.toml,tools/check_setup.py}
}

core_hash() {
  printf '%s\n' "$compiled"
  objects_hash
}

objects_hash() {
  hash_of "$root"/{setup.py,tools/build_core.py,tools/compiled.txt,tools/compiled.py}
  (cd "$root" && "$venv/bin/python" -IS tools/compiled.py | xargs -d '\n' sha256sum -- | sha256sum)
}

# ---- whether it is still there

is_made() { # STAGE
  [[ -f $stamps/$1 ]] && [[ $(<"$stamps/$1") == "$("$1_hash" 2>/dev/null)" ]] && "$1_whole"
}

packages_whole() { # nothing has been removed since
  "$venv/bin/python" -IS -c '' 2>/dev/null && [[ -z $(comm -23 "$stamps/contents" <(contents)) ]]
}

develop_whole() {
  [[ -x $venv/bin/pytest && -x $venv/bin/ruff && -x $venv/bin/lint-imports ]]
}

interfaces_whole() {
  [[ -s $build/interfaces/install_manifest.txt ]] && xargs -d '\n' ls -- <"$build/interfaces/install_manifest.txt" &>/dev/null
}

project_whole() {
  [[ -x $venv/bin/thymio-fleet && -x $venv/bin/asebaros && -x $venv/bin/multi_thymio_driver && -x $venv/bin/thymio_simulator ]]
}

core_whole() {
  [[ $compiled == no ]] || compgen -G "$root/thymio_base/compiled__mypyc*.so" >/dev/null
}

objects_whole() {
  compgen -G "$build/core/lib/thymio_base/compiled__mypyc*.so" >/dev/null
}

contents() {
  (cd "$venv" && printf '%s\n' lib/python3.*/site-packages/* share/* | LC_ALL=C sort)
}

# ---- running and showing it

run() { # LOG COMMAND...: quiet unless it fails
  local log=$logs/$1.log
  shift
  if ! "$@" >>"$log" 2>&1; then
    printf '\nset-up: this step failed: %s\n' "$*" >&2
    tail -n 30 "$log" | sed 's/^/  | /' >&2
    die "the whole log: $log" "once that is fixed, run the same command again; finished stages are kept"
  fi
}

stage() { # NAME TEXT: make it, show how far it is, stamp it with the hash of its inputs at the start
  local start=$EPOCHREALTIME hash shown=
  hash=$("$1_hash")
  mkdir -p "$logs"
  rm -f "$stamps/$1" "$logs/$1.log" "$logs/awaited"
  show_progress "$1" "$2" 9<&- & # without the lock, which it could hold for a second longer
  shown=$!
  "make_$1"
  kill "$shown" 2>/dev/null || true
  wait "$shown" 2>/dev/null || true
  mkdir -p "$stamps"
  printf '%s\n' "$hash" >"$stamps/$1.new"
  mv "$stamps/$1.new" "$stamps/$1"
  if [[ -t 1 ]]; then
    printf '\r\033[K'
  fi
  printf '%-34s%4d s\n' "$2" $(((${EPOCHREALTIME/./} - ${start/./}) / 1000000))
}

show_progress() { # NAME TEXT: one line that changes on a terminal, else a line now and then, until it or its parent ends
  local seconds=0 progress
  while [[ -e /proc/$$/exe ]]; do
    progress=$("progress_of_$1" 2>/dev/null || true)
    if [[ -t 1 ]]; then
      printf '\r\033[K%-34s%4d s  %s' "$2" "$seconds" "$progress"
    elif ((seconds % 15 == 0 && seconds > 0)); then
      printf '  %s: %d s%s\n' "$2" "$seconds" "${progress:+, $progress}"
    fi
    sleep 1
    seconds=$((seconds + 1))
  done
}

progress_of_packages() {
  local all
  all=$(cat "$locks/$ros-"{run,build}.txt | grep -c '^[a-z].*==')
  awk -v all="$all" '/^Downloading /{big++} /^ Downloaded /{got++} /^Prepared /{ready=1} /^Collecting /{seen++}
    END { if (seen > 1) print seen " of " all " packages"
          else if (ready) print "installing " all " packages"
          else if (big) print got + 0 " of " big " large files downloaded"
          else print "creating the environment" }' "$logs/packages.log"
}

progress_of_develop() {
  grep -c '^ Downloaded ' "$logs/develop.log" | sed 's/$/ large files downloaded/'
}

progress_of_interfaces() {
  grep -x '[0-9]* of [0-9]*' "$logs/interfaces.log" | tail -n 1 | awk '{ printf "%d %%\n", 100 * $1 / $3 }'
}

progress_of_project() {
  echo "registering programs"
}

progress_of_objects() { # the parts of tools/build_core.py: batches, hot modules and entry points
  local made
  made=$(find "$build/core" -name '*.o' 2>/dev/null | wc -l)
  if ((made)); then
    echo "$made of 10 parts"
  else
    echo "translating to C"
  fi
}

progress_of_core() {
  cat "$logs/awaited" 2>/dev/null || echo "installing it"
}

# ---- what must be there before anything is downloaded

check_machine() {
  local free_mb tool
  [[ $root != *[:\"\\$'\n']* ]] || die "the path $root contains a colon, quote or backslash, which compilers cannot handle" \
    "move the folder to another path; spaces and umlauts are fine"
  [[ -w $root ]] || die "the folder $root is not writable for $(id -un): choose another, or: sudo chown -R $(id -un) '$root'"
  free_mb=$(df -Pm "$root" | awk 'NR == 2 { print $4 }')
  ((free_mb >= needed_mb)) || die "$root has $free_mb MB of free space, and $needed_mb MB are needed"
  for tool in cc c++; do
    command -v "$tool" >/dev/null || die "there is no compiler ($tool was not found): $(as_root) apt-get install g++"
  done
  find_python
}

as_root() {
  ((EUID == 0)) || echo sudo
}

find_python() { # sets `python`, or says what is missing
  local candidate reason first_reason=
  for candidate in ${PYTHON:+"$PYTHON"} python3 python3.12 python3.13 python3.14 python3.11 \
    "${PYENV_ROOT:-${HOME:-/}/.pyenv}"/versions/3.1[1-4].*/bin/python3 \
    "${HOME:-/}"/.local/share/uv/python/cpython-3.1[1-4].*/bin/python3; do
    if python=$(cd "$root" && "$candidate" -c 'import sys; print(sys.executable)' 2>/dev/null); then
      reason=$("$python" "$root/tools/suitable_python.py") && return
      # The reason of a Python of the right version that lacks something says more than that of one that is too old.
      [[ -z $first_reason || $first_reason == *\;\ Python\ 3* ]] && first_reason=$reason
    elif [[ $candidate == "${PYTHON:-}" ]] && command -v "$candidate" >/dev/null; then
      first_reason=$("$candidate" -c '' 2>&1 | tail -n 1) || true
      first_reason="$PYTHON does not run${first_reason:+: $first_reason}; Python 3.11 to 3.14 is needed"
    fi
    [[ -z ${PYTHON:-} ]] || break # no other than the one that was asked for
  done
  die "${first_reason:-${PYTHON:-python3} was not found; Python 3.11 to 3.14 is needed}"$'\n'"$(how_to_get_python)"
}

how_to_get_python() {
  echo "on Debian 12 or Ubuntu 24.04:  $(as_root) apt-get install python3 python3-venv python3-dev"
  echo "another interpreter:           make setup PYTHON=/path/to/python3.12"
}

# ---- how each stage is made

make_packages() {
  rm -rf "$venv"
  mkdir -p "$logs"
  run packages "$python" -m venv "$venv"
  "$venv/bin/pip" install --progress-bar off --require-hashes -r "$locks/installer.txt" >>"$logs/packages.log" 2>&1 || true
  install_packages packages --no-deps --require-hashes -r "$locks/$ros-run.txt" -r "$locks/$ros-build.txt"
  remember_contents
}

make_develop() {
  install_packages develop --no-deps --require-hashes -r "$locks/$ros-develop.txt"
  remember_contents
}

install_packages() { # LOG ARGUMENT...: with uv, or with pip where uv is missing or fails, as behind a mirror that only pip knows
  local log=$1
  shift
  if "$venv/bin/uv" pip install --python "$venv/bin/python" "$@" >>"$logs/$log.log" 2>&1; then
    return
  fi
  echo "uv is not there or has failed; pip installs" >>"$logs/$log.log"
  run "$log" "$venv/bin/python" -m pip install --progress-bar off --no-compile "$@"
}

remember_contents() {
  mkdir -p "$stamps"
  contents >"$stamps/contents"
}

make_interfaces() {
  if [[ -s $build/interfaces/install_manifest.txt ]]; then
    xargs -d '\n' rm -f -- <"$build/interfaces/install_manifest.txt"
  fi
  run interfaces "$venv/bin/python" "$root/tools/wheels/build_interfaces.py" "$build/interfaces"
}

make_project() {
  THYMIO_FLEET_COMPILED=no install_packages project --no-deps --no-build-isolation --editable "$root"
  run project "$venv/bin/python" "$root/tools/check_setup.py"
}

make_objects() { # in a folder of its own: a process that imports half of a compiled core crashes
  rm -rf "$build/core" # the compiler's cache of other sources can make it fail
  (cd "$root" && MYPY_CACHE_DIR=$build/core/mypy run objects "$venv/bin/python" setup.py build_ext \
    --build-temp "$build/core/objects" --build-lib "$build/core/lib")
}

make_core() { # from the objects
  remove_core
  if [[ $compiled != no ]]; then
    wait_for_programs
    # As links, or as copies on another file system; an installation that is interrupted can be repeated.
    cp -rlf "$build/core/lib/." "$root" 2>/dev/null || cp -rf "$build/core/lib/." "$root"
  fi
}

remove_core() {
  if compgen -G "$root/*/compiled__mypyc*.so" >/dev/null; then
    wait_for_programs
  fi
  (cd "$root" && find aseba_link body experiments fleet simulator thymio_base -name '*.so' -delete)
}

wait_for_programs() { # until no program runs that imports the core, as it is now or as it will be
  local running last=
  while running=$(running_programs) && [[ -n $running ]]; do
    if [[ $running != "$last" ]]; then
      printf '\nwaiting until these programs have ended: %s\n' "${running//$'\n'/, }"
      echo "waiting for ${running//$'\n'/, }" >"$logs/awaited"
      last=$running
    fi
    sleep 1
  done
  rm -f "$logs/awaited"
}

running_programs() { # prints those of this environment, with their process ids, and how to end those that are stopped
  local folder arguments process
  for folder in /proc/[0-9]*; do
    mapfile -d '' -t arguments 2>/dev/null <"$folder/cmdline" || continue
    if [[ ${arguments[0]:-} == "$venv/bin/"* ]] && imports_core "${arguments[@]:1:3}"; then
      process=${folder#/proc/}
      grep -q '^State:.T' "$folder/status" 2>/dev/null && process+=", stopped; to end it: kill -KILL $process"
      printf '%s (process %s)\n' "$(basename -- "${program#fleet.ros.}")" "$process"
    fi
  done
}

imports_core() { # ARGUMENT...: whether it is one of our programs, or runs our code; sets `program`
  local argument
  for argument; do
    program=$argument
    case ${argument#"$venv/bin/"} in
      thymio-fleet | multi_thymio_driver | thymio_simulator | asebaros | pytest) return 0 ;;
      aseba_link* | bench* | experiments* | fleet* | simulator*) return 0 ;;
    esac
  done
  return 1
}

# ---- together

lock_set_up() {
  exec 9<"$root"
  flock -n 9 || { echo "waiting for another set-up of this directory" && flock 9; }
}

set_up() { # develop|run|core|objects
  local start=$EPOCHREALTIME
  [[ -f $locks/$ros-run.txt ]] || die "there is no requirements/$ros-run.txt; known distributions: jazzy, kilted"
  lock_set_up
  [[ -w ${HOME:-/} ]] || export UV_NO_CACHE=1 # a folder that cannot be created would be an error
  if [[ $1 == develop || $1 == run ]]; then
    is_made packages || { check_machine && stage packages "Python and ROS 2 $ros packages"; }
    is_made interfaces || stage interfaces "Interface packages"
    is_made project || stage project "thymio_fleet"
  fi
  if [[ $1 == develop ]]; then
    is_made develop || stage develop "Tools of developers"
  fi
  if [[ $1 != run ]] && ! is_made core; then
    [[ $compiled == no ]] || is_made objects || stage objects "Compiled core"
    [[ $1 == objects ]] || stage core "Installed core"
  fi
  if is_made core; then
    touch -c "$root"/thymio_base/compiled__mypyc*.so # newer than the sources, which have not changed since
  fi
  exec 9<&-
  if ((${EPOCHREALTIME/./} - ${start/./} > 1000000)); then
    echo "ready: ${venv#"$root"/}/bin/thymio-fleet"
  fi
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  set_up "${3:-develop}"
fi
