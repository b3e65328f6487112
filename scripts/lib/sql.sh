# shellcheck shell=bash
# The data that sqlx keeps of every query in services/after (.sqlx), so that a build needs no database. Sourced after
# the other parts; needs ROOT and a Postgres that was started.

# generate_sql_data FOLDER: has sqlx check every query against a database with today's schema and write its data to
# FOLDER. That happens while cargo checks the crate; there is no sqlx command-line tool to install.
# The whole workspace with all features, because the rest of the build then is the one that clippy and the tests use.
generate_sql_data() {
  local folder=$1 database=sql_data
  rm -rf "$folder"
  mkdir -p "$folder"
  drop_database "$database"
  create_database "$database"
  (
    set -e
    cd "$ROOT"
    # Only what migrates: `after` may have a query that the committed data does not know yet.
    cargo build --package shared --all-features --locked --bins
    DATABASE_URL=$(postgres_url_with_password "$database")
    export DATABASE_URL
    "$(target_folder "$ROOT")/debug/migrate"
    touch services/after/src/lib.rs # cargo does not see that a query's data, or the schema, has changed
    SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$folder cargo check --workspace --all-features --locked
  )
  drop_database "$database"
}

# check_sql_data: is the committed data what the queries and the schema give today?
check_sql_data() {
  local fresh=$ROOT/target/test/sqlx
  generate_sql_data "$fresh"
  if ! diff -r "$ROOT/.sqlx" "$fresh"; then
    die 'The data that sqlx keeps of the queries (.sqlx) is not what the queries and the schema give today.' \
      'A statement in shared/sql, or the schema, has changed. Write it anew and commit it: scripts/prepare-sql'
  fi
  good "$(find "$ROOT/.sqlx" -name '*.json' | wc -l) queries checked against the schema"
}
