# shellcheck shell=bash disable=SC2034
# The release builds of the pair on this machine, each on a database that is made for it. Sourced after part.sh.
#
#   need_pair                          finds Rust and Postgres, builds; sets BINARIES
#   start_database                     a private Postgres
#   seeded_database NAME               migrated, seeded, and the same to the byte each time
#   start_service NAME DATABASE [VARIABLE=VALUE...]
#                                      on a free port, PORT[NAME]; returns when it is ready
#   stop_service NAME                  in order, or it is a failure

declare -A PORT=()
READY_WITHIN=60 # seconds
STOP_WITHIN=20  # seconds: more than the services' own SHUTDOWN_GRACE_MS

need_pair() {
  need_cargo "$ROOT"
  need_cc
  find_postgres
  BINARIES=$(target_folder "$ROOT")/release
  part_heading 'release build'
  # As scripts/demo builds, so that whoever comes second has nothing to build.
  attended cargo build --release --locked -p shared -p before -p after -p lab --features shared/migrate --bins
}

# Its data may be lost, so nothing waits for the disk.
start_database() {
  start_postgres "$ROOT/target/ci/postgres" password 15632 fsync=off synchronous_commit=off full_page_writes=off
  drop_database seeded
}

# The seed data has times in it, so it is loaded once, and what a part gets is a copy.
seeded_database() {
  if [[ -z $(postgres_sql "SELECT 1 FROM pg_database WHERE datname = 'seeded'") ]]; then
    create_database seeded
    quietly env "DATABASE_URL=$(postgres_url seeded)" "PGPASSWORD=$POSTGRES_PASSWORD" "$BINARIES/migrate" --seed
  fi
  drop_database "$1"
  postgres_sql "CREATE DATABASE $1 TEMPLATE seeded"
}

start_service() {
  local name=$1 database=$2 deadline=$((SECONDS + READY_WITHIN))
  shift 2
  PORT[$name]=$(free_port 18001)
  SERVICE_LOG=$SCRATCH/$name.log
  start "$name" "$SERVICE_LOG" env "DATABASE_URL=$(postgres_url "$database")" "PGPASSWORD=$POSTGRES_PASSWORD" \
    "LISTEN=127.0.0.1:${PORT[$name]}" "$@" "$BINARIES/$name"
  until HTTP_TIMEOUT=2 http GET "${PORT[$name]}" /ready "$ANSWER" && [[ $HTTP_STATUS == 200 ]]; do
    if ! running "$name" || ((SECONDS >= deadline)); then
      complain "$name did not become ready (GET /ready: $HTTP_STATUS)."
      show_end "$SERVICE_LOG"
      return 1
    fi
    nap 0.1
  done
}

stop_service() {
  tell "$1" TERM
  await_end "$1" "$STOP_WITHIN" KILL
  ((EXIT_CODE == 0)) && grep -q 'stopped: all that was in flight is finished' "$SCRATCH/$1.log" && return
  complain "$1 did not stop in order ($(describe_exit "$EXIT_CODE"))."
  show_end "$SCRATCH/$1.log"
  return 1
}

# For `clean_up`: nothing is left running, however far it came. The database last.
end_pair() {
  local name
  for name in "$ATTENDED" before after; do
    tell "$name" TERM
    await_end "$name" "$STOP_WITHIN" KILL
  done
  stop_postgres
}
