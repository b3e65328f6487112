# shellcheck shell=bash disable=SC2034
# A browser, and tools from npm to drive it, in a folder of their own under target/tools. Sourced after part.sh.

# need_chromium: CHROMIUM is the program. From the system's packages: npm's would be downloaded from elsewhere.
need_chromium() {
  CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
  [[ -n $CHROMIUM ]] && return
  if can_install; then install_packages chromium fonts-dejavu-core || true; fi
  CHROMIUM=$(command -v chromium || true)
  [[ -n $CHROMIUM ]] || die 'No Chromium found.' 'Debian: sudo apt-get install chromium'
}

# need_node NAME: installs .ci/requirements/NAME/package-lock.json, once for each version of that file. TOOL is the
# folder.
need_node() {
  local wanted=$ROOT/.ci/requirements/$1
  TOOL=$ROOT/target/tools/$1
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    if can_install; then install_packages nodejs npm || true; fi
    { command -v node && command -v npm; } >/dev/null || die 'No node with npm found.' \
      'Debian, Ubuntu: sudo apt-get install nodejs npm'
  fi
  cmp -s "$wanted/package-lock.json" "$TOOL/installed.json" && return
  note "installing $1 into ${TOOL#"$ROOT"/}, once"
  rm -rf "$TOOL"
  mkdir -p "$TOOL"
  cp "$wanted"/package*.json "$TOOL"
  attended npm --prefix "$TOOL" ci --ignore-scripts --no-audit --no-fund --loglevel=error
  cp "$wanted/package-lock.json" "$TOOL/installed.json" # last: with this note, it is whole
}
