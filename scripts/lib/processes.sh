# shellcheck shell=bash disable=SC2034
# One run at a time, and background processes that end with the script: by Ctrl-C, by an error, and by kill -9 too.
# Sourced after ui.sh.

declare -A PIDS=() # by name: what was started here, and nothing else, is ended here
ATTENDED='the command at work' # the name of the one that `attended` runs

# take_lock FILE WHAT: one run at a time in this checkout. The kernel frees the lock when its holder is gone,
# however it went. It sits on descriptor 9, which every long-lived child must close (9>&-): it would hold the lock on.
take_lock() {
  local holder=''
  mkdir -p "$(dirname "$1")"
  exec 9<>"$1"
  if ! flock --wait 2 9; then
    read -r holder <"$1" || true
    die "$2 is already running in this checkout (process ${holder:-unknown})." \
      'Stop that one first (Ctrl-C where it runs), or use another checkout.'
  fi
  printf '%d\n' $$ >"$1"
}

nap() { sleep "$1" 9>&-; }

# attended COMMAND...: runs it in the foreground, but so that a signal to the script alone is acted on at once and
# not when the command has ended (bash waits for a foreground command; it does not wait for `wait`).
# A background command starts with SIGINT ignored, hence --default-signal: Ctrl-C must reach cargo.
attended() {
  env --default-signal=INT,QUIT setpriv --pdeathsig INT "$@" 9>&- &
  PIDS[$ATTENDED]=$!
  local code=0
  wait "${PIDS[$ATTENDED]}" || code=$?
  unset "PIDS[$ATTENDED]"
  return "$code"
}

# start NAME LOG COMMAND...: in the background, in a session of its own, so that the terminal's Ctrl-C does not reach
# it: the script ends it, in order. And it gets SIGTERM when the script dies without a word.
start() {
  local name=$1 log=$2
  shift 2
  setsid setpriv --pdeathsig TERM "$@" >>"$log" 2>&1 </dev/null 9>&- &
  PIDS[$name]=$!
}

running() { [[ -n ${PIDS[$1]-} ]] && kill -0 "${PIDS[$1]}" 2>/dev/null; }

# tell NAME SIGNAL: asks it to end; `await_end` waits for that. Two steps, so that several can end at the same time.
tell() { ! running "$1" || kill -s "$2" "${PIDS[$1]}"; }

# await_end NAME SECONDS LAST_SIGNAL: waits so long, then insists. EXIT_CODE is what it ended with.
await_end() {
  local name=$1 deadline=$((SECONDS + $2))
  EXIT_CODE=0
  [[ -n ${PIDS[$name]-} ]] || return 0
  while running "$name" && ((SECONDS < deadline)); do nap 0.1; done
  if running "$name"; then
    warn "$name did not end within $2 s: sending SIG$3"
    tell "$name" "$3"
  fi
  # A second Ctrl-C interrupts this wait, not the process.
  while :; do
    EXIT_CODE=0
    wait "${PIDS[$name]}" 2>/dev/null || EXIT_CODE=$?
    running "$name" || break
  done
  unset "PIDS[$name]"
}

# describe_exit CODE: "exit code 3", or the signal's name.
describe_exit() {
  if (($1 > 128)); then printf 'killed by SIG%s' "$(kill -l "$(($1 - 128))")"; else printf 'exit code %d' "$1"; fi
}

# show_end FILE: the last lines of a log.
show_end() {
  printf '       The end of %s:\n' "$1" >&2
  tail -n 20 "$1" | sed 's/^/         /' >&2 || true
}
