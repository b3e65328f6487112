# shellcheck shell=bash disable=SC2034
# The lab with all it needs: programs, load tools, a private database. Sourced after ui.sh, needs.sh, ports.sh,
# processes.sh, postgres.sh and load-tools.sh.
#
#   prepare_lab         what is needed is found, built and started
#   run_lab ARGUMENT... the lab in the foreground, until it ends; LAB_CODE is what it ended with
#   finish_lab          to be trapped on EXIT: stops what was started, the database last

LAB_STATE=$ROOT/target/lab
LAB_DATABASE=exchange
LAB_CODE=""
declare -A PIDS # of processes.sh

# Signals end the script, and its EXIT trap everything else.
trap_signals() {
  local signal
  trap finish_lab EXIT
  for signal in INT TERM HUP; do
    # shellcheck disable=SC2064 # the name is meant to be put in now
    trap "on_signal $signal" "$signal"
  done
}

STOPPING=''
# The first signal ends the script, in order. One more makes the ending short: the lab takes a second signal as
# "at once".
on_signal() {
  if [[ -n $STOPPING ]]; then
    tell lab TERM
    return 0
  fi
  exit $((128 + $(kill -l "$1")))
}

prepare_lab() {
  heading 'Looking for what this needs'
  need_linux
  take_lock "$LAB_STATE/lock" 'scripts/demo or scripts/load-test'
  need_cargo "$ROOT"
  need_cc
  find_postgres
  need_wrk
  good "cargo $CARGO_VERSION, a C compiler, wrk, Postgres $POSTGRES_VERSION ($POSTGRES_BIN)"
  heading 'Building, in release mode (the first time takes minutes)'
  build_lab
  heading 'Starting a private database'
  start_postgres "$LAB_STATE/postgres" scram-sha-256 15432
  create_database "$LAB_DATABASE"
  # The services find the rest in the address. Its user and password are this cluster's own.
  export DATABASE_URL PGPASSWORD=$POSTGRES_PASSWORD LAB_OWNS_DATABASE=true LAB_OUT=${LAB_OUT:-target/lab/runs}
  DATABASE_URL=$(postgres_url "$LAB_DATABASE")
  attended "$BINARIES/migrate" --seed ||
    die 'migrate failed: its own message stands above.' \
      "To begin with an empty database: rm -rf $CLUSTER_HOME"
  good "$DATABASE_URL"
  note "password in ${CLUSTER_HOME#"$ROOT"/}/password"
}

# All in one invocation, as in the Dockerfile: apart, cargo would build most of the dependencies twice, since the
# programs want different features of them. What `before` does not use of that, the linker leaves out.
build_lab() {
  cd "$ROOT" || exit
  BINARIES=$(target_folder "$ROOT")/release
  attended cargo build --release --locked -p shared -p before -p after -p lab --features shared/migrate --bins ||
    die 'The build failed: cargo says above why.'
  good "built: $BINARIES/{migrate,before,after,lab}"
}

# In a session of its own, so that the terminal's Ctrl-C reaches it once, through this script, and not twice: a second
# one means "at once".
run_lab() {
  # Sockets on both sides of thousands of connections.
  ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
  env --default-signal=INT,QUIT setsid setpriv --pdeathsig INT "$BINARIES/lab" "$@" 9>&- &
  PIDS[lab]=$!
  LAB_CODE=0
  wait "${PIDS[lab]}" || LAB_CODE=$?
  unset "PIDS[lab]"
}

# What the lab says of how it ended is the script's own exit code.
finish_lab() {
  local code=$?
  trap - EXIT
  STOPPING=yes
  tell "$ATTENDED" INT
  await_end "$ATTENDED" 10 KILL
  if running lab; then
    tell lab INT
    # The services' own grace, one after the other at worst, and the report.
    await_end lab 60 KILL
    LAB_CODE=$EXIT_CODE
  fi
  if running postgres; then
    stop_postgres
    ((EXIT_CODE == 0)) || warn "the database server did not stop cleanly ($(describe_exit "$EXIT_CODE"))"
  fi
  [[ -z $LAB_CODE ]] || code=$LAB_CODE
  exit "$code"
}
