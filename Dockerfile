# The service as an image: a non-root user, a read-only root file system, /data as the only volume, and
# everything that a start needs, so that it starts without a network. docs/containers.md explains how to
# run it; tests/container_files_test.ts and `deno task check:image` check it.
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim
ARG BASE_IMAGE=docker.io/library/debian:trixie-slim

FROM ${NODE_IMAGE} AS build
ARG DENO_VERSION=2.9.6
# Deno comes from npm, as in README.md. A build behind a proxy that inspects TLS passes its authority:
# docker build --secret id=ca,src=/etc/ssl/certs/ca-certificates.crt
SHELL ["/bin/sh", "-euc"]
RUN --mount=type=secret,id=ca,required=false \
    if [ -f /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi; \
    npx --yes "deno@${DENO_VERSION}" eval \
      'Deno.copyFileSync(Deno.execPath(), "/usr/local/bin/deno")'; \
    deno --version

WORKDIR /app
# .dockerignore lists what is copied: the service's sources, and nothing else.
COPY . .
# The service may run only scripts that the build writes, and paths are part of them. WORKERS makes it write
# the one of server processes too, so that the image can be started with one process or with several.
# Scheduled backups need their settings here and in the container.
ARG BACKUP_EVERY=
ARG BACKUP_KEEP=
ENV HOME=/data DATA_DIR=/data DENO_DIR=/var/cache/deno DENO_NO_UPDATE_CHECK=1
RUN --mount=type=secret,id=ca,required=false \
    if [ -f /run/secrets/ca ]; then export DENO_CERT=/run/secrets/ca; fi; \
    install -d -m 0700 -o 10001 -g 10001 /data; \
    WORKERS=2 deno task build; \
    deno run --no-config -A tools/prune_packages.ts image; \
    rm -rf "${DENO_DIR}"; \
    deno cache --frozen main.ts cli/*.ts lib/knowledge/ingest/worker/main.ts \
      tools/prepare_start.ts tools/start_paths.ts tools/check_health.ts

FROM ${BASE_IMAGE}
RUN echo 'agent-chat:x:10001:10001::/data:/usr/sbin/nologin' >> /etc/passwd \
 && echo 'agent-chat:x:10001:' >> /etc/group \
 && install -d -m 0700 -o 10001 -g 10001 /data
COPY --from=build /usr/local/bin/deno /usr/local/bin/deno
COPY --from=build /var/cache/deno /var/cache/deno
COPY --from=build /app /app
WORKDIR /app
ENV HOME=/data DATA_DIR=/data HOST=0.0.0.0 PORT=8000 DENO_DIR=/var/cache/deno DENO_NO_UPDATE_CHECK=1
USER 10001:10001
VOLUME /data
EXPOSE 8000
# Deno forwards the signal to the service, which ends its runs within 9 s.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["deno", "run", "--no-config", "--no-prompt", "--allow-net", "--allow-env=PORT", "tools/check_health.ts"]
CMD ["deno", "task", "start"]
