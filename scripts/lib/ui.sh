# shellcheck shell=bash
# What the scripts say, and how they look. Sourced, never run.
#
# Progress and results go to stdout, warnings and errors to stderr.
# Colours only on a terminal, and never with NO_COLOR set (https://no-color.org).

if [[ -t 1 && -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' GREEN=$'\e[32m' YELLOW=$'\e[33m' PLAIN=$'\e[0m'
else
  BOLD='' DIM='' RED='' GREEN='' YELLOW='' PLAIN=''
fi

note() { printf '      %s%s%s\n' "$DIM" "$*" "$PLAIN"; }
good() { printf '      %s✓%s %s\n' "$GREEN" "$PLAIN" "$*"; }
warn() { printf '      %s!%s %s\n' "$YELLOW" "$PLAIN" "$*" >&2; }
heading() { printf '\n%s%s%s\n' "$BOLD" "$*" "$PLAIN"; }

# complain WHAT [NEXT...]: what is wrong, then what to do about it, a line each.
complain() {
  printf '\n%serror:%s %s\n' "$RED$BOLD" "$PLAIN" "$1" >&2
  shift
  (($# == 0)) || printf '       %s\n' "$@" >&2
}

# die WHAT [NEXT...]: the same, and the end of the script; its EXIT trap cleans up.
die() {
  complain "$@"
  exit 1
}

# usage_of FILE: prints the comment at the top of a script, so that --help and the source never differ.
usage_of() {
  local line
  while IFS= read -r line; do
    [[ $line == '#!'* ]] && continue
    [[ $line == '#'* ]] || break
    line=${line#'#'}
    printf '%s\n' "${line# }"
  done <"$1"
}

# duration SECONDS: "42 s" or "3 min 05 s".
duration() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' "$(($1 / 60))" "$(($1 % 60))"; fi
}
