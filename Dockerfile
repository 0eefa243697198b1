# The programs of this source tree from Debian's packages and PyPI, for a user without root; see docs/operation.md.
ARG BASE=debian:12-slim

FROM ${BASE} AS build
# Debian keeps only the latest version of a package, which has its security fixes: hadolint's rule would pin another one.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make python3-dev python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/thymio_fleet
COPY . .
RUN tools/setup.sh jazzy .venv run \
 && tools/setup.sh jazzy .venv core \
 && rm -rf build .venv/build .venv/log

FROM ${BASE}
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --groups dialout --home-dir /var/lib/thymio_fleet --create-home thymio
COPY --from=build /opt/thymio_fleet /opt/thymio_fleet
ENV PATH=/opt/thymio_fleet/.venv/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    XDG_STATE_HOME=/var/lib/thymio_fleet \
    ROS_HOME=/var/lib/thymio_fleet \
    DASHBOARD_OPTIONS="" \
    HEALTH_URL=http://127.0.0.1:8642/health
USER 10001
WORKDIR /var/lib/thymio_fleet
VOLUME /var/lib/thymio_fleet
EXPOSE 8642
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python3", "-c", "import os, urllib.request as u; u.urlopen(os.environ['HEALTH_URL'], timeout=4)"]
# The dashboard; compose.yaml names the driver's command.
CMD ["sh", "-c", "exec thymio-fleet dashboard $DASHBOARD_OPTIONS"]
