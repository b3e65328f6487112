# shellcheck shell=bash disable=SC2034
# A private Postgres: found or installed, in a folder of its own, on a port of its own, ended with the script.
# A cluster of the system, if there is one, is neither looked at nor touched. Sourced after ui.sh, needs.sh, ports.sh
# and processes.sh.
#
#   find_postgres                      sets POSTGRES_BIN and POSTGRES_VERSION
#   start_postgres FOLDER AUTH FIRST_PORT [SETTING...]
#                                      sets POSTGRES_PORT and POSTGRES_PASSWORD; user and database: see below
#   create_database NAME / drop_database NAME
#   stop_postgres

POSTGRES_OLDEST=15
POSTGRES_USER=exchange

# Variables of libpq that a developer has set for another server must not lead ours, or its clients, astray.
unset "${!PG@}"

# ---- Finding and installing

find_postgres() {
  best_postgres || {
    install_postgres
    best_postgres
  } || die "The Postgres that was installed is not where it was expected." \
    "Put the folder of its server programs (postgres, initdb) on the PATH."
}

# The newest server of all that are here. Debian keeps its server programs off the PATH, one folder a version.
best_postgres() {
  local folder version
  POSTGRES_BIN='' POSTGRES_VERSION=0
  for folder in "$(dirname "$(realpath --canonicalize-missing "$(command -v postgres || echo /none/none)")")" \
    "$(pg_config --bindir 2>/dev/null || echo /none)" \
    /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql/bin; do
    [[ -x $folder/postgres && -x $folder/initdb && -x $folder/psql ]] || continue
    version=$("$folder/postgres" --version)         # postgres (PostgreSQL) 17.6 (Debian 17.6-1)
    version=${version#*) } version=${version%%[!0-9]*} # 17
    if ((version >= POSTGRES_OLDEST && version > POSTGRES_VERSION)); then
      POSTGRES_BIN=$folder POSTGRES_VERSION=$version
    fi
  done
  ((POSTGRES_VERSION > 0))
}

install_postgres() {
  local candidate=''
  if can_install; then
    read_apt_lists
    candidate=$(apt-cache policy postgresql | sed -n 's/^ *Candidate: *\([0-9]*\).*/\1/p')
  fi
  if [[ -n $candidate ]] && ((candidate < POSTGRES_OLDEST)); then
    die "This system's packages have Postgres $candidate; $POSTGRES_OLDEST or newer is needed." \
      'Either take a newer one from the Postgres project: https://wiki.postgresql.org/wiki/Apt' \
      'or run everything in containers: docker compose up'
  fi
  [[ -n $candidate ]] || die "No Postgres server programs ($POSTGRES_OLDEST or newer) found." \
    'Debian, Ubuntu: sudo apt-get install postgresql' \
    '(that also starts a server for the whole system; this script neither needs nor uses it)'
  without_system_cluster install_packages postgresql ||
    die 'Installing Postgres failed.' 'Try it by hand and see why: sudo apt-get install postgresql'
}

# without_system_cluster COMMAND...: Debian's package makes and starts a cluster for the whole system when it is
# installed. Its documented switch (pg_createcluster(1), createcluster.conf) holds for this command only.
without_system_cluster() {
  local switch=/etc/postgresql-common/createcluster.d/threads-to-tokio.conf code=0
  as_root mkdir -p "${switch%/*}"
  echo 'create_main_cluster = false' | as_root tee "$switch" >/dev/null
  "$@" || code=$?
  as_root rm -f "$switch"
  return "$code"
}

# ---- Where it lives and who it runs as

# Postgres refuses to run as root. Its package brings a user; failing that, whoever owns the checkout; failing that,
# nobody.
choose_server_user() {
  AS_SERVER=()
  ((EUID == 0)) || return 0
  local owner user group
  owner=$(stat -c %u "$ROOT")
  if id postgres >/dev/null 2>&1; then
    user=$(id -u postgres) group=$(id -g postgres)
  elif ((owner != 0)); then
    user=$owner group=$(stat -c %g "$ROOT")
  else
    user=$(id -u nobody) group=$(id -g nobody)
  fi
  AS_SERVER=(setpriv "--reuid=$user" "--regid=$group" --clear-groups)
  SERVER_OWNER=$user:$group
}

# as_server COMMAND...: as the user of the server, in a folder that it may be in.
as_server() { (cd / && exec "${AS_SERVER[@]}" "$@"); }

give_to_server() { ((${#AS_SERVER[@]} == 0)) || chown "$SERVER_OWNER" "$1"; }

# choose_folder FOLDER: CLUSTER_HOME is that folder, or one under /tmp when the server's user cannot use it: the
# checkout may be below /root, or on a file system without permissions (Postgres insists on 0700).
choose_folder() {
  CLUSTER_HOME=$1
  prepare_folder "$CLUSTER_HOME" && return
  CLUSTER_HOME=${TMPDIR:-/tmp}/threads-to-tokio-$EUID-$(cksum <<<"$1" | cut -d ' ' -f 1)
  if ! prepare_folder "$CLUSTER_HOME"; then
    die "Postgres can keep its files neither in $1 nor in $CLUSTER_HOME." \
      'Set TMPDIR to a folder that every user may enter.'
  fi
  note "the server's user cannot use a folder in this checkout: the database is in $CLUSTER_HOME"
}

prepare_folder() {
  mkdir -p "$1" 2>/dev/null && [[ -d $1 && ! -L $1 && -O $1 ]] || return 1 # under /tmp, it could be another's
  if ((${#AS_SERVER[@]} == 0)); then chmod 700 "$1"; else chmod 711 "$1"; fi
  # Tried, not computed: every folder on the way counts, and so does the file system.
  rm -rf "$1/probe"
  mkdir "$1/probe" && chmod 700 "$1/probe" && give_to_server "$1/probe" || return 1
  [[ $(stat -c %a "$1/probe") == 700 ]] && as_server test -w "$1/probe" -a -x "$1/probe"
  local code=$?
  rmdir "$1/probe"
  return "$code"
}

# ---- Making it

# make_cluster AUTH: once. A second start finds it and takes a second or two.
# AUTH is how a client over TCP proves who it is. Never `trust`: every user of this machine could then be superuser of
# the database, and a superuser runs programs as whoever runs the server.
make_cluster() {
  local cluster=$CLUSTER_HOME/cluster fresh=$CLUSTER_HOME/cluster.new password=$CLUSTER_HOME/password
  local made_as="version $POSTGRES_VERSION, $1"
  [[ -f $password && $(cat "$CLUSTER_HOME/made-as" 2>/dev/null) == "$made_as" && -d $cluster ]] && return
  [[ ! -e $cluster ]] || note 'the cluster that is here was made by another version or in another way: replacing it'
  rm -rf "$cluster" "$fresh" "$password" "$CLUSTER_HOME/made-as"
  note "making a database cluster in $cluster"
  (umask 077 && od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$password")
  mkdir -m 700 "$fresh"
  give_to_server "$password"
  give_to_server "$fresh"
  # The locale is fixed, so that rows sort alike on every machine.
  as_server "$POSTGRES_BIN/initdb" --pgdata="$fresh" --username="$POSTGRES_USER" --pwfile="$password" \
    --auth="$1" --encoding=UTF8 --no-locale --no-sync >"$CLUSTER_HOME/initdb.log" 2>&1 9>&- || {
    complain 'initdb failed.'
    show_end "$CLUSTER_HOME/initdb.log"
    exit 1
  }
  mv "$fresh" "$cluster"
  printf '%s\n' "$made_as" >"$CLUSTER_HOME/made-as" # last: with this note, the cluster is whole
}

# A server that an earlier run left behind in this folder is ended; the note that a killed one left is removed.
# (The server itself only ignores such a note when no process has its number: after a restart of the machine one may.)
clear_leftovers() {
  local cluster=$CLUSTER_HOME/cluster pid deadline=$((SECONDS + 30))
  [[ -f $cluster/postmaster.pid ]] || return 0
  read -r pid <"$cluster/postmaster.pid" || true
  # A server's working directory is its data folder: that tells ours from whoever has its number now.
  if [[ $pid =~ ^[0-9]+$ && $(readlink "/proc/$pid/cwd") == "$(realpath "$cluster")" ]]; then
    note "ending the database server that an earlier run left behind (process $pid)"
    kill -s INT "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null; do
      ((SECONDS < deadline)) || kill -s QUIT "$pid" 2>/dev/null || true
      nap 0.2
    done
  fi
  rm -f "$cluster/postmaster.pid"
}

# ---- Starting and stopping

# start_postgres FOLDER AUTH FIRST_PORT [SETTING...]: settings are given at the start and not written into the
# cluster, so that one made by an older checkout runs with today's.
start_postgres() {
  local folder=$1 auth=$2 port=$3 setting attempt
  local -a settings=()
  for setting in listen_addresses=127.0.0.1 unix_socket_directories= max_connections=200 "${@:4}"; do
    settings+=(-c "$setting")
  done
  choose_server_user
  choose_folder "$folder"
  POSTGRES_LOG=$CLUSTER_HOME/server.log
  clear_leftovers
  make_cluster "$auth"
  POSTGRES_PASSWORD=$(<"$CLUSTER_HOME/password")
  # Between the look at a port and the start, somebody else may take it: then the next one.
  for attempt in 1 2 3 4 5; do
    POSTGRES_PORT=$(free_port "$port")
    : >"$POSTGRES_LOG"
    start postgres "$POSTGRES_LOG" env --chdir=/ "${AS_SERVER[@]}" setpriv --pdeathsig INT \
      "$POSTGRES_BIN/postgres" -D "$CLUSTER_HOME/cluster" -p "$POSTGRES_PORT" "${settings[@]}"
    postgres_accepts && return
    grep -q 'Address already in use' "$POSTGRES_LOG" || break
    port=$((POSTGRES_PORT + 1))
  done
  complain "Postgres did not start (attempt $attempt)."
  show_end "$POSTGRES_LOG"
  exit 1
}

# The server says "ready" in its own note; no client is needed to ask. A crashed cluster first recovers.
postgres_accepts() {
  local deadline=$((SECONDS + 60)) note=$CLUSTER_HOME/cluster/postmaster.pid
  while running postgres && ((SECONDS < deadline)); do
    grep -qs '^ready' "$note" && return
    nap 0.1
  done
  stop_postgres
  return 1
}

# SIGINT is Postgres' fast stop: sessions are ended, the data is written.
stop_postgres() {
  tell postgres INT
  await_end postgres 30 QUIT
}

# postgres_url DATABASE: without the password, which goes into PGPASSWORD: an address is shown and logged.
postgres_url() { printf 'postgres://%s@127.0.0.1:%d/%s' "$POSTGRES_USER" "$POSTGRES_PORT" "$1"; }

# postgres_url_with_password DATABASE: for programs that take nothing but an address. It is hex: no encoding needed.
postgres_url_with_password() {
  printf 'postgres://%s:%s@127.0.0.1:%d/%s' "$POSTGRES_USER" "$POSTGRES_PASSWORD" "$POSTGRES_PORT" "$1"
}

# postgres_sql STATEMENT...: as superuser; the answer bare.
postgres_sql() { postgres_sql_in postgres "$@"; }

# postgres_sql_in DATABASE STATEMENT...
postgres_sql_in() {
  local -a commands=()
  local statement
  for statement in "${@:2}"; do commands+=(-c "$statement"); done
  PGPASSWORD=$POSTGRES_PASSWORD PGOPTIONS='-c client_min_messages=warning' \
    "$POSTGRES_BIN/psql" --no-psqlrc --quiet --tuples-only --no-align \
    --set=ON_ERROR_STOP=1 "$(postgres_url "$1")" "${commands[@]}" 9>&-
}

# create_database NAME: unless it is there.
create_database() {
  [[ -n $(postgres_sql "SELECT 1 FROM pg_database WHERE datname = '$1'") ]] || postgres_sql "CREATE DATABASE $1"
}

drop_database() { postgres_sql "DROP DATABASE IF EXISTS $1 WITH (FORCE)"; }

# start_test_postgres: the cluster that the tests share. Its data may be lost, so nothing waits for the disk.
# The password is sent as it is (this is loopback): with SCRAM a client hashes thousands of times at every login, which
# is slow in a debug build, and tests log in all the time.
start_test_postgres() {
  start_postgres "$ROOT/target/test/postgres" password 15532 fsync=off synchronous_commit=off full_page_writes=off
}
