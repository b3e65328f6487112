# One image with the three programs: migrate, before, after. Who runs it says which:
#
#   docker build -t threads-to-tokio .
#   docker run threads-to-tokio before --help
#
# docker-compose.yml does that with the right environment. No BuildKit-only syntax: the classic builder builds it too.

# ---- Manifests: what decides on the dependencies, and nothing else.
# All sources come in, and all but the crates' roots go out again; those become empty. So this needs no list of the
# workspace's members, and what it leaves is the same until a manifest or the lock file changes.
FROM rust:1.95-slim-bookworm AS manifests
WORKDIR /app
COPY . .
RUN find . -type f \
        ! -name Cargo.toml ! -name Cargo.lock ! -path './.cargo/*' \
        ! -name main.rs ! -name lib.rs ! -name build.rs ! -path '*/src/bin/*.rs' ! -path '*/tests/*.rs' \
        -delete \
    && find . -type d -empty -delete \
    && find . -name '*.rs' -exec sh -c \
        'for file; do printf "//! Empty.\n/// Empty.\npub fn main() { }\n" >"$file"; done' _ {} +

# ---- Build: the dependencies first, in a layer that stays as long as the manifests do.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /app
# The queries are checked against the committed .sqlx: no database is needed here.
ENV SQLX_OFFLINE=true
COPY --from=manifests /app .
RUN cargo build --release --locked -p shared -p before -p after --features shared/migrate --bins
# cargo goes by the time of a file, and the real sources may be older than the empty ones: hence touch.
COPY . .
RUN find . -path ./target -prune -o -name '*.rs' -exec touch {} + \
    && cargo build --release --locked -p shared -p before -p after --features shared/migrate --bins

# ---- What runs. The TLS roots for an outgoing Sentry connection are inside the programs.
FROM debian:bookworm-slim
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin exchange
COPY --from=build /app/target/release/migrate /app/target/release/before /app/target/release/after /usr/local/bin/
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/threads-to-tokio/
USER 10001:10001
# Inside a container, loopback would reach nobody.
ENV LISTEN=0.0.0.0:8000
EXPOSE 8000
# No shell in between: SIGTERM arrives at the program, which ends in order and with exit code 0.
CMD ["after"]
