# The KV server that several processes share, from its package, as docs/operations.md installs it. The build
# compiles for some minutes.
ARG RUST_IMAGE=docker.io/library/rust:1-slim-trixie
ARG BASE_IMAGE=docker.io/library/debian:trixie-slim

FROM ${RUST_IMAGE} AS build
ARG DENOKV_VERSION=0.14.0
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends cmake gcc g++ \
 && cargo install denokv --locked --version "${DENOKV_VERSION}" --root /usr/local

FROM ${BASE_IMAGE}
# The user of the service's image, which reads the file to back it up.
RUN echo 'denokv:x:10001:10001::/data:/usr/sbin/nologin' >> /etc/passwd \
 && echo 'denokv:x:10001:' >> /etc/group \
 && install -d -m 0700 -o 10001 -g 10001 /data
COPY --from=build /usr/local/bin/denokv /usr/local/bin/denokv
ENV DENO_KV_SQLITE_PATH=/data/kv.sqlite3
USER 10001:10001
VOLUME /data
EXPOSE 4512
STOPSIGNAL SIGTERM
# As the first process of a container, denokv would ignore SIGTERM; a shell passes the signal on.
CMD ["/bin/sh", "-c", "denokv serve --addr 0.0.0.0:4512 & trap 'kill $!' TERM INT; wait $!"]
