# shellcheck shell=bash
# The tools that make the load: wrk from the system's packages, oha built from its source. Sourced after ui.sh,
# needs.sh and processes.sh.

OHA=1.16.0 # its JSON is read as this version writes it

# wrk, for closed loops.
need_wrk() {
  command -v wrk >/dev/null && return
  if can_install; then install_packages wrk || true; fi
  command -v wrk >/dev/null || die 'No wrk found: it makes the load.' \
    'Debian, Ubuntu: sudo apt-get install wrk'
}

# need_oha ROOT: oha, for constant rates, in ROOT/target/tools/oha; the lab looks for it there. One of the same version
# that LAB_OHA names or that is on the PATH does as well. Needs cargo and cc (need_cargo, need_cc).
need_oha() {
  local folder=$1/target/tools/oha oha began=$SECONDS
  if [[ -n ${LAB_OHA-} ]]; then
    is_oha "$LAB_OHA" || die "LAB_OHA is $LAB_OHA, which is not oha $OHA." \
      'Without LAB_OHA it is built here.'
    return
  fi
  for oha in "$folder/bin/oha" oha; do
    ! is_oha "$oha" || return 0
  done
  need_make
  note "building oha $OHA into target/tools/oha, once: takes minutes"
  # Optimized, since it must be quicker than what it loads. With its TLS: it does not build without. In a build folder
  # of its own, which goes when all is well: a second try goes on where the first one failed.
  attended env CARGO_TARGET_DIR="$folder/build" \
    cargo install oha --version "$OHA" --locked --force --root "$folder" ||
    die "oha $OHA could not be built: cargo says above why." \
      'Most often the network is missing.' \
      "Built elsewhere, it does as well: cargo install oha --version $OHA --locked, and LAB_OHA set to the program"
  is_oha "$folder/bin/oha" || die "What was built is not oha $OHA: $folder/bin/oha"
  rm -rf "$folder/build"
  good "oha $OHA ($(duration $((SECONDS - began))))"
}

is_oha() { [[ $("$1" --version 2>/dev/null) == "oha $OHA" ]]; }

# jemalloc, which oha brings, is built by make.
need_make() {
  command -v make >/dev/null && return
  if can_install; then install_packages make || true; fi
  command -v make >/dev/null || die 'No make found: oha is built with it.' \
    'Debian, Ubuntu: sudo apt-get install make'
}
