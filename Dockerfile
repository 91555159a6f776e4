# One image for all roles: croupier up | serve | gateway | bots. It runs as 10001 and needs no writable root: only /data
# (what `up` and `bots` keep) and /tmp. `make image` builds it without a registry, and plays a match on it.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
# For a build without a package index: a folder of wheels, mounted by the builder.
ARG PIP_NO_INDEX
ARG PIP_FIND_LINKS
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ONLY_BINARY=:all:
WORKDIR /src
COPY requirements.build.lock requirements.server.lock ./
# What is served from has no pip.
RUN python3 -m venv /build \
 && python3 -m venv --without-pip /opt/croupier \
 && /build/bin/pip install --require-hashes -r requirements.build.lock \
 && /build/bin/pip --python /opt/croupier/bin/python install --require-hashes -r requirements.server.lock
COPY pyproject.toml README.md LICENSE ./
COPY proto proto
COPY engine engine
COPY convert convert
COPY service service
COPY gateway gateway
COPY bots bots
COPY arena arena
COPY cli cli
RUN /build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /build/bin/pip --python /opt/croupier/bin/python install --no-deps --no-index /wheels/*.whl

FROM ${BASE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Croupier" \
      org.opencontainers.image.description="Card games as a service: deals, enforces the rules, keeps time and score" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
RUN groupadd --gid 10001 croupier \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin croupier \
 && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /opt/croupier /opt/croupier
ENV PATH=/opt/croupier/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    CROUPIER_ALIVE_FILE=/tmp/croupier-alive \
    CROUPIER_REVISION=${REVISION}
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8080 50051
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["croupier", "health"]
ENTRYPOINT ["croupier"]
CMD ["up", "--host", "0.0.0.0", "--data", "/data"]
