#!/usr/bin/env bash
# Sets up what the demo needs, and runs it. A core that must be compiled is compiled meanwhile, when the processor is idle.
# Usage: tools/demo.sh ROS DIRECTORY ROBOTS
set -euo pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

compiler= # its process, and that of all that it starts

# shellcheck disable=SC2317 # a trap calls it
end_compiler() {
  if [[ -n $compiler ]] && kill -- "-$compiler" 2>/dev/null; then
    echo "the core is not compiled yet; the next \`make demo\` or \`make setup\` compiles it"
  fi
}

# Before the set-up, which takes minutes.
if ! [[ $3 =~ ^[1-9][0-9]?$|^100$ ]]; then
  echo "ROBOTS=$3 is not a whole number from 1 to 100" >&2
  exit 2
fi

compile_in_background() {
  local idle=(nice -n 19)
  if chrt --idle 0 true 2>/dev/null; then
    idle+=(chrt --idle 0)
  fi
  mkdir -p "$logs"
  setsid "${idle[@]}" "$root/tools/setup.sh" "$ros" "$venv" objects </dev/null >"$logs/background.log" 2>&1 &
  compiler=$!
}

use_core() { # if it is compiled by now; else the compiler goes on, and the next start installs what it made
  if kill -0 "$compiler" 2>/dev/null; then
    echo "the core is still being compiled, in the background; the next \`make demo\` or \`make setup\` uses it"
  elif wait "$compiler"; then
    set_up core
    echo "the core is compiled; programs that start from now on use it"
  else
    cat "$logs/background.log" >&2
    die "the core was not compiled; programs work without it, but use several times as much processor time"
  fi
}

trap end_compiler EXIT
trap 'exit 129' HUP
trap 'exit "${over:-143}"' TERM
trap 'exit "${over:-130}"' INT
set_up run
if [[ $compiled == no ]] || is_made objects; then
  set_up core
elif ! is_made core; then
  remove_core
  compile_in_background
fi
code=0
"$venv/bin/thymio-fleet" demo --robots "$3" || code=$?
over=$code # a signal from now on is no failure
if [[ -n $compiler ]] && ((code == 0)); then
  use_core
  compiler=
fi
exit "$code"
