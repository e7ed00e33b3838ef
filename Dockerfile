# PostgreSQL with tensorlv, built from these sources:
#
#   docker build -t tensorlv .                            (--build-arg PG_MAJOR=16 for another server)
#   docker run --rm -e POSTGRES_PASSWORD=secret -p 5432:5432 tensorlv
#   psql -h localhost -U postgres -c 'CREATE EXTENSION tensorlv'
ARG PG_MAJOR=17

FROM postgres:${PG_MAJOR}-trixie AS build
ARG PG_MAJOR
RUN apt-get update && apt-get install -y --no-install-recommends make gcc libc6-dev libopenblas-dev liblapacke-dev libgsl-dev postgresql-server-dev-${PG_MAJOR}
COPY . /tensorlv
WORKDIR /tensorlv
RUN make -j$(nproc) WERROR= PG_CONFIG=/usr/lib/postgresql/${PG_MAJOR}/bin/pg_config && make install DESTDIR=/stage PG_CONFIG=/usr/lib/postgresql/${PG_MAJOR}/bin/pg_config

FROM postgres:${PG_MAJOR}-trixie
# the serial flavour of OpenBLAS: PostgreSQL gets its parallelism from processes
RUN apt-get update && apt-get install -y --no-install-recommends libopenblas0-serial liblapacke libgsl28 && rm -rf /var/lib/apt/lists/*
COPY --from=build /stage/ /
