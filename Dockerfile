# Three images. `services` has the three programs migrate, before and after; who runs it says which:
#
#   docker build --target services -t threads-to-tokio .
#   docker run threads-to-tokio before --help
#
# `guide` has the guide as a site; `lab` has the lab and its load tools, and is the last one, as it takes longest.
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
RUN cargo build --release --locked -p shared -p before -p after -p lab --features shared/migrate --bins
# What the programs are made of, so that another word in the guide builds nothing anew.
COPY Cargo.toml Cargo.lock ./
COPY .cargo ./.cargo
COPY .sqlx ./.sqlx
COPY docs/tool ./docs/tool
COPY services ./services
COPY shared ./shared
# cargo goes by the time of a file, and the real sources may be older than the empty ones: hence touch.
RUN find . -path ./target -prune -o -name '*.rs' -exec touch {} + \
    && cargo build --release --locked -p shared -p before -p after -p lab --features shared/migrate --bins

# ---- What runs. The TLS roots for an outgoing Sentry connection are inside the programs.
FROM debian:bookworm-slim AS services
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin exchange
COPY --from=build /app/target/release/migrate /app/target/release/before /app/target/release/after /usr/local/bin/
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/threads-to-tokio/
USER 10001:10001
# Inside a container, loopback would reach nobody.
ENV LISTEN=0.0.0.0:8000
EXPOSE 8000
# No shell in between: SIGTERM arrives at the program, which ends in order and with exit code 0.
CMD ["after"]

# ---- The guide: the pages, made by mdBook, and the sources that they link to.
FROM rust:1.95-slim-bookworm AS mdbook
ENV CARGO_PROFILE_RELEASE_DEBUG=0
RUN cargo install mdbook --version 0.5.4 --locked --no-default-features --features search --root /mdbook

FROM build AS site
COPY --from=mdbook /mdbook/bin/mdbook /usr/local/bin/
RUN cargo build --release --locked -p guide
COPY . .
RUN target/release/guide check && target/release/guide site --out /site

FROM debian:bookworm-slim AS guide
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends busybox >/dev/null && rm -rf /var/lib/apt/lists/*
# busybox knows the types of pages, styles and scripts, and of little else.
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin exchange \
    && printf '.svg:image/svg+xml\n.woff2:font/woff2\n' >/etc/httpd.conf
COPY --from=site /site /site
USER 10001:10001
EXPOSE 8000
CMD ["busybox", "httpd", "-f", "-p", "8000", "-h", "/site", "-c", "/etc/httpd.conf"]

# ---- The load tool for constant rates, of the version whose output the lab reads.
FROM rust:1.95-slim-bookworm AS oha
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends make >/dev/null && rm -rf /var/lib/apt/lists/*
ENV CARGO_PROFILE_RELEASE_DEBUG=0
RUN cargo install oha --version 1.16.0 --locked --root /oha

# ---- The lab. Its results are a volume; nothing else is written but below /tmp.
FROM debian:bookworm-slim AS lab
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends wrk >/dev/null && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin exchange \
    && install -d -o 10001 -g 10001 /results
COPY --from=oha /oha/bin/oha /usr/local/bin/
COPY --from=build /app/target/release/lab /usr/local/bin/
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/threads-to-tokio/
USER 10001:10001
ENV LAB_OUT=/results LAB_LISTEN=0.0.0.0:8000
EXPOSE 8000
ENTRYPOINT ["lab"]
CMD ["serve"]
