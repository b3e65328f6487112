# shellcheck shell=bash disable=SC2034
# What every part of .ci/run has in common: what it checks is counted, and all that it started ends with it. Sourced
# first; sources scripts/lib.
#
#   begin_part NAME           one run at a time, a scratch folder, and `finish_part` at every end
#   check WHAT COMMAND...     counted
#   clean_up                  to be defined by the part: ends what it started

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for library in ui needs ports processes postgres; do
  # shellcheck source=/dev/null
  source "$ROOT/scripts/lib/$library.sh"
done

PASSED=0
FAILED=0

begin_part() {
  PART=$1
  need_linux
  cd "$ROOT" || exit
  take_lock "$ROOT/target/ci/lock" 'A part of .ci/run'
  SCRATCH=$(mktemp -d)
  ANSWER=$SCRATCH/answer
  trap finish_part EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

part_heading() { heading "== $PART: $1"; }

# check WHAT COMMAND...: counted; the part goes on, so that one run shows all that is wrong.
check() {
  local what=$1
  shift
  if "$@"; then
    PASSED=$((PASSED + 1))
    good "$what"
  else
    FAILED=$((FAILED + 1))
    complain "$what: does not hold."
  fi
}

# quietly COMMAND...: what it says is only worth reading when something is wrong.
quietly() {
  local code=0
  "$@" >"$SCRATCH/said" 2>&1 9>&- || code=$?
  ((code == 0)) || cat "$SCRATCH/said" >&2
  return "$code"
}

finish_part() {
  local code=$?
  trap - EXIT
  # Whatever else went wrong is a failure too: a build that broke, an engine that is not there.
  ((code == 0 || FAILED > 0)) || FAILED=1
  clean_up
  rm -rf "$SCRATCH"
  ((FAILED == 0 || code > 0)) || code=1
  printf '\n%s: %d passed, %d failed\n' "$PART" "$PASSED" "$FAILED"
  exit "$code"
}
