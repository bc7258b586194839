# Rialto in a container: docs/docker.md says how to run it. Build it in the folder of the source: docker build -t rialto .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Installs what package-lock.json names, and builds dist/, which contains most of it; then leaves out what only building needs.
RUN npm ci --no-audit --no-fund && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production RIALTO_GENERAL_DATAPATH=/var/lib/rialto
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/rialto && install -d -m 0755 /etc/rialto
COPY --from=build /src/package.json /src/LICENSE /app/
COPY --from=build /src/bin /app/bin
COPY --from=build /src/dist /app/dist
COPY --from=build /src/node_modules /app/node_modules
RUN ln -s /app/bin/rialto.js /usr/local/bin/rialto
USER 10001:10001
WORKDIR /var/lib/rialto
VOLUME /var/lib/rialto
# By the socket: a configuration that is broken for a while stops nothing. 1: it answers, and says what is not well. That is no reason to start it again.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD rialto status --socket /var/lib/rialto/rialto.sock >/dev/null || [ $? -eq 1 ]
ENTRYPOINT ["rialto"]
CMD ["-conf", "/etc/rialto/rialto.toml"]
