# Rialto in a container: docs/docker.md says how to run it. Build the image in the folder of the source: docker build -t rialto .
# `npm run dockerfile` runs these lines without Docker.
FROM node:24.21.0-bookworm-slim AS node

# The packages beside the program. The package files come before the sources, so that a change of the sources installs nothing again.
FROM node AS packages
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node
ENV NODE_ENV=production RIALTO_GENERAL_DATAPATH=/var/lib/rialto
# Nothing runs npm or yarn in this image.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg
# Compose files for matterbridge mount its configuration at /etc/matterbridge and call /bin/matterbridge.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/rialto && install -d -m 0755 /etc/rialto /etc/matterbridge \
    && ln -s /app/bin/rialto.js /usr/local/bin/rialto && ln -s /app/bin/rialto.js /bin/matterbridge
COPY --from=build /src/package.json /src/LICENSE /app/
COPY --from=build /src/bin /app/bin
COPY --from=packages /src/node_modules /app/node_modules
COPY --from=build /src/dist /app/dist
USER 10001:10001
WORKDIR /var/lib/rialto
VOLUME /var/lib/rialto
# Asks over the socket, so that a configuration that is broken for a while does no harm. Status 1 means that Rialto answers and
# reports a trouble: no reason to start it again.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD rialto status --socket /var/lib/rialto/rialto.sock >/dev/null || [ $? -eq 1 ]
# Without -conf, Rialto reads /etc/rialto/rialto.toml or /etc/matterbridge/matterbridge.toml.
ENTRYPOINT ["rialto"]
