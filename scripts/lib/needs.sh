# shellcheck shell=bash disable=SC2034
# What a script needs from the machine: found, installed where that is allowed, or named with the command that
# installs it. Sourced after ui.sh.

# as_root COMMAND...: as root or through sudo without a password. Fails quietly where neither is to be had.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    return 126
  fi
}

can_install() { command -v apt-get >/dev/null && as_root true; }

# The package lists of a fresh machine or container are empty, so they are read once a run before the first install.
APT_LISTS_READ=''
read_apt_lists() {
  [[ -z $APT_LISTS_READ ]] || return 0
  as_root apt-get update -qq || warn 'apt-get update failed: going on with the package lists that are here'
  APT_LISTS_READ=yes
}

# install_packages PACKAGE...: Debian or Ubuntu packages, without asking and without their recommendations.
install_packages() {
  note "installing $* (apt-get)"
  read_apt_lists
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

need_linux() {
  [[ $(uname -s) == Linux ]] || die "This script is made for Linux; this is $(uname -s)." \
    'Everywhere else: docker compose up'
}

# A C compiler, for two things: rustc links with it, and ring (the TLS of the Sentry client) has C in it.
need_cc() {
  command -v cc >/dev/null && return
  if can_install; then install_packages gcc libc6-dev || true; fi
  command -v cc >/dev/null || die 'No C compiler (cc) found: Rust links with it.' \
    'Debian, Ubuntu: sudo apt-get install gcc libc6-dev'
}

# need_cargo ROOT: cargo, at least as new as the workspace asks for.
need_cargo() {
  local wanted found
  # rustup writes this file; a shell that was open during its installation has not read it yet.
  if ! command -v cargo >/dev/null && [[ -x ${CARGO_HOME:-$HOME/.cargo}/bin/cargo ]]; then
    PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  fi
  command -v cargo >/dev/null || die 'No cargo found: Rust is the one thing this script does not install.' \
    'Install it from https://rustup.rs, open a new shell, and run this again.'
  wanted=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$1/Cargo.toml")
  # With rustup this may first fetch the toolchain that rust-toolchain.toml names; it says so itself.
  found=$(cd "$1" && cargo --version) || die 'cargo does not run.' \
    'Try it in this folder: cargo --version'
  found=${found#cargo } found=${found%% *}
  if [[ -n $wanted && $(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1) != "$wanted" ]]; then
    die "cargo $found is too old: the workspace needs $wanted." 'With rustup: rustup update'
  fi
  CARGO_VERSION=$found
}

# target_folder ROOT: where cargo builds to; a user's CARGO_TARGET_DIR or cargo configuration may move it.
target_folder() {
  (cd "$1" && cargo metadata --format-version 1 --no-deps --offline) |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}
