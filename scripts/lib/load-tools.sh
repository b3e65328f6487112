# shellcheck shell=bash
# The tools that make the load: wrk from the system's packages, oha built from its source. Sourced after ui.sh and
# needs.sh.

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
  local folder=$1/target/tools/oha log=$1/target/tools/oha.log oha began=$SECONDS
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
  mkdir -p "$folder"
  # Optimized, since it must be quicker than what it loads. Its TLS stays in: it does not build without.
  if ! install_oha "$folder" "$log"; then
    tail -n 20 "$log" >&2
    die "oha $OHA could not be built." \
      "All that cargo said: $log" \
      'Most often the network is missing, or a C compiler, or make.' \
      "By hand: cargo install oha --version $OHA --locked, and LAB_OHA set to the program"
  fi
  is_oha "$folder/bin/oha" || die "What was built is not oha $OHA: $folder/bin/oha"
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

# install_oha FOLDER LOG: what cargo says goes into LOG; how far it is, to who looks on.
install_oha() {
  local pid code=0 crates shown=0
  # A build folder of its own, away from the workspace's, that goes when all is well.
  CARGO_TARGET_DIR=$1/build CARGO_PROFILE_RELEASE_DEBUG=0 \
    cargo install oha --version "$OHA" --locked --root "$1" >"$2" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    crates=$(grep -c '^ *Compiling ' "$2" || true)
    if ((crates >= shown + 50)); then
      shown=$crates
      note "$crates crates of about 300"
    fi
  done
  wait "$pid" || code=$?
  ((code != 0)) || rm -rf "$1/build"
  return "$code"
}
