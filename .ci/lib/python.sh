# shellcheck shell=bash disable=SC2034
# Tools from PyPI, each in a virtual environment of its own under target/tools. Sourced after part.sh.

export PYTHONDONTWRITEBYTECODE=1 # nothing is left beside the sources

# need_python NAME: installs .ci/requirements/NAME.txt, once for each version of that file. TOOL is the environment.
need_python() {
  local wanted=$ROOT/.ci/requirements/$1.txt
  TOOL=$ROOT/target/tools/$1
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    if can_install; then install_packages python3-venv || true; fi
    python3 -c 'import ensurepip, venv' 2>/dev/null || die 'No Python with venv found.' \
      'Debian, Ubuntu: sudo apt-get install python3-venv'
  fi
  [[ -x $TOOL/bin/python ]] && cmp -s "$wanted" "$TOOL/installed.txt" && return
  note "installing $1 into ${TOOL#"$ROOT"/}, once"
  rm -rf "$TOOL"
  attended python3 -m venv "$TOOL"
  attended "$TOOL/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
  cp "$wanted" "$TOOL/installed.txt" # last: with this note, it is whole
}
