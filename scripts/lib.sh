# Shared by the scripts of this folder: packages, a private copy of the
# sources, a staged build, a throw-away cluster.  Sourced by bash.
#
# Everything a run makes lies in one private temporary directory, $TLV_WORK,
# which goes away with the run, whatever ends it.  Nothing is written into the
# checkout or into system directories, no port is opened.
# shellcheck shell=bash

TLV_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TLV_WORK=
TLV_CLUSTER=
TLV_CLUSTERS=()
TLV_CHILD=
TLV_ASIDE=
TLV_TALLY_OPEN=
TLV_TALLY_NAME=
TLV_JOBS=$(nproc 2>/dev/null || echo 2)

# In the lines of a small terminal.
tlv_say() { printf '== %s\n' "$*" | fold -s -w 80 >&2; }
tlv_die() { printf '*** %s\n' "$*" | fold -s -w 80 >&2; exit 1; }

# ---------------------------------------------------------------------------
# The end of a run

tlv_cleanup() {
    local status=$? group
    trap - EXIT
    trap '' INT TERM HUP
    for group in $TLV_CHILD $TLV_ASIDE; do
        kill -TERM -- "-$group" 2>/dev/null || true
        wait "$group" 2>/dev/null || true
    done
    TLV_CHILD='' TLV_ASIDE=''
    tlv_stop_clusters
    tlv_allow_main
    if [ -n "$TLV_TALLY_OPEN" ] && [ "$status" != 0 ]; then # stopped before its end
        tlv_tally_add 0 1 0 stopped
        tlv_tally_end || true
    fi
    if [ -n "$TLV_WORK" ]; then
        cd /
        rm -rf "$TLV_WORK" 2>/dev/null || { sleep 1; rm -rf "$TLV_WORK"; } || true
    fi
    exit "$status"
}

# Makes $TLV_WORK and sees to its end.
tlv_begin() {
    # The caller's own server, settings and BLAS choices must not leak in.
    unset PGHOST PGPORT PGUSER PGDATABASE PGDATA PGOPTIONS PGSERVICE PGPASSWORD PGPASSFILE \
        PGHOSTADDR PGSSLMODE PGCLIENTENCODING PGTZ PGDATESTYLE PGAPPNAME PGREQUIRESSL
    unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
    export OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8 PSQLRC=/dev/null
    umask 022
    trap tlv_cleanup EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    TLV_WORK=$(mktemp -d "${TMPDIR:-/tmp}/tensorlv.XXXXXX")
    chmod 755 "$TLV_WORK"
    TLV_WORK=$(cd "$TLV_WORK" && pwd -P)
    if [ ${#TLV_WORK} -gt 80 ]; then
        tlv_die "the path $TLV_WORK is too long for a socket: set TMPDIR to a shorter one"
    fi
    export TMPDIR="$TLV_WORK/tmp"
    mkdir "$TMPDIR"
    chmod 1777 "$TMPDIR"
    export TLV_WORK
}

# Runs a long command in a process group of its own, so that a signal to the
# script is acted upon at once and takes the command with it.  Its standard
# input is $TLV_STDIN, nothing by default.
tlv_run() {
    local status=0
    set -m
    "$@" <"${TLV_STDIN:-/dev/null}" &
    TLV_CHILD=$!
    set +m
    wait "$TLV_CHILD" || status=$?
    TLV_CHILD=
    return "$status"
}

# The same for a command that is silent for minutes: says every 50 seconds what is being done.
tlv_run_told() { # what, command...
    # shellcheck disable=SC2016
    tlv_run bash -c '
        what=$1
        shift
        {
            trap "kill \$sleeper 2>/dev/null; exit" TERM
            while :; do
                sleep 50 &
                sleeper=$!
                wait "$sleeper"
                echo "== still $what" >&2
            done
        } </dev/null >/dev/null &
        ticker=$!
        "$@"
        status=$?
        kill "$ticker"
        wait "$ticker" 2>/dev/null
        exit "$status"' told "$@"
}

# Begins a long command that takes what other commands leave of the processors; what it prints comes with its end.  It has
# a session of its own, with the least share: the server has one, too, and where the kernel shares the processors among
# sessions (autogroup), niceness counts within one only.
tlv_begin_aside() {
    # shellcheck disable=SC2016
    setsid nice -n 19 bash -c 'echo 19 2>/dev/null >/proc/self/autogroup || true; exec "$@"' aside "$@" \
        </dev/null >"$TLV_WORK/aside" 2>&1 &
    TLV_ASIDE=$!
}

# Waits for it, which from here on has its share of the processors: prints its output, returns its status.
tlv_end_aside() {
    local status=0
    renice -n 0 -g "$TLV_ASIDE" >/dev/null 2>&1 || true
    echo 0 2>/dev/null >"/proc/$TLV_ASIDE/autogroup" || true
    wait "$TLV_ASIDE" || status=$?
    TLV_ASIDE=
    cat "$TLV_WORK/aside"
    return "$status"
}

# ---------------------------------------------------------------------------
# Packages

tlv_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Takes back the setting that keeps the server's package from making a cluster.
TLV_NO_MAIN=()
tlv_allow_main() {
    [ ${#TLV_NO_MAIN[@]} = 0 ] || "${TLV_NO_MAIN[@]}" || true
    TLV_NO_MAIN=()
}

# The major version of the server to use: that of pg_config where there is
# one, otherwise the newest whose server is installed, otherwise the default.
tlv_pg_major() {
    local major
    if command -v "${PG_CONFIG:-pg_config}" >/dev/null; then
        major=$("${PG_CONFIG:-pg_config}" --version 2>/dev/null |
            sed -n 's/[^0-9]*\([0-9][0-9]*\).*/\1/p') || major=
        if [ -n "$major" ]; then echo "$major"; return; fi
    fi
    major=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'postgresql-[0-9]*' 2>/dev/null |
        sed -n 's/^installed postgresql-\([0-9][0-9]*\)$/\1/p' | sort -n | tail -1) || true
    if [ -n "$major" ]; then echo "$major"; return; fi
    apt-cache depends postgresql 2>/dev/null |
        sed -n 's/^ *Depends: postgresql-\([0-9][0-9]*\)$/\1/p' | head -1
}

tlv_wanted_packages() { # groups: build test asan lint valgrind
    local group major clang
    major=$(tlv_pg_major)
    for group; do
        case $group in
            build)
                echo make gcc libc6-dev gzip libopenblas-dev liblapacke-dev libgsl-dev
                if [ -n "$major" ]; then
                    echo "postgresql-$major" "postgresql-server-dev-$major"
                else # not known before the lists of packages are there
                    echo postgresql postgresql-server-dev-all
                fi
                ;;
            test)
                echo perl libcmocka-dev chromium chromium-driver
                # Debian has it as a package, others do not
                if apt-cache show firefox-esr >/dev/null 2>&1; then echo firefox-esr; fi
                # tested against where Debian has it for this server
                if [ -n "$major" ] && apt-cache show "postgresql-$major-pgvector" >/dev/null 2>&1; then
                    echo "postgresql-$major-pgvector"
                fi
                ;;
            asan)
                echo clang libcmocka-dev
                # the run time of the sanitizers is a package of its own from clang 14 on
                clang=$(apt-cache depends clang 2>/dev/null |
                    sed -n 's/^ *Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -1)
                if [ -n "$clang" ] &&
                    apt-cache show "libclang-rt-$clang-dev" >/dev/null 2>&1; then
                    echo "libclang-rt-$clang-dev"
                fi
                ;;
            lint) echo clang-format clang-tidy cppcheck shellcheck ;;
            valgrind) echo valgrind libc6-dbg ;;
        esac
    done
}

tlv_missing_packages() {
    local package
    # shellcheck disable=SC2046
    for package in $(tlv_wanted_packages "$@" | tr ' ' '\n' | sort -u); do
        case $package in
            libopenblas-dev) # any flavour will do
                tlv_installed libopenblas-dev || tlv_installed libopenblas-pthread-dev ||
                    tlv_installed libopenblas-serial-dev || tlv_installed libopenblas-openmp-dev ||
                    echo "$package"
                ;;
            *) tlv_installed "$package" || echo "$package" ;;
        esac
    done
}

# Runs a command whose output is shown if it fails, and says every 50 seconds what it does.
tlv_quietly() { # what, command...
    local status=0
    # shellcheck disable=SC2016
    tlv_run_told "$1" bash -c 'exec "${@:2}" >"$1" 2>&1' quietly "$TLV_WORK/quiet.log" "${@:2}" || status=$?
    [ "$status" = 0 ] || tail -n 60 "$TLV_WORK/quiet.log" >&2
    return "$status"
}

# Installs the packages of the given groups that are missing.
tlv_packages() {
    local missing as_root=()
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        tlv_say "not a Debian system: make will say what is missing"
        return
    fi
    missing=$(tlv_missing_packages "$@" | tr '\n' ' ')
    [ -n "${missing// /}" ] || return 0

    if [ "$(id -u)" != 0 ]; then
        if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            as_root=(sudo)
        elif command -v sudo >/dev/null && [ -t 0 ]; then
            tlv_say "sudo is needed to install: $missing"
            as_root=(sudo)
            sudo -v
        else
            tlv_say "Packages are missing, and this user may not install them. As root:"
            printf '%s' "apt-get update && apt-get install $missing" |
                fold -s -w 72 | sed 's/^/    /; $!s/ *$/ \\/' >&2
            echo >&2
            exit 1
        fi
    fi
    export DEBIAN_FRONTEND=noninteractive
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
        flock /var/lib/dpkg apt-get -q -o DPkg::Lock::Timeout=600)
    tlv_say "reading the lists of packages"
    tlv_quietly "reading the lists of packages" "${apt[@]}" update || tlv_die "apt-get update failed"
    missing=$(tlv_missing_packages "$@" | tr '\n' ' ') # the server's version is known now
    tlv_say "installing packages, which may take some minutes: $missing"
    # A server package that is new here would create and start a cluster of its own.
    if [ ! -e /etc/postgresql-common/createcluster.d/tensorlv.conf ] &&
        [[ $missing =~ postgresql-[0-9]+\  ]]; then
        TLV_NO_MAIN=("${as_root[@]}" rm -f /etc/postgresql-common/createcluster.d/tensorlv.conf)
        "${as_root[@]}" mkdir -p /etc/postgresql-common/createcluster.d
        echo "create_main_cluster = false" |
            "${as_root[@]}" tee /etc/postgresql-common/createcluster.d/tensorlv.conf >/dev/null
    fi
    local status=0
    # shellcheck disable=SC2086
    tlv_quietly "installing packages" "${apt[@]}" install -y --no-install-recommends $missing || status=$?
    tlv_allow_main
    if [ "$status" != 0 ]; then
        tlv_die "apt-get could not install: $missing"
    fi
}

# ---------------------------------------------------------------------------
# Chroots of Debian releases, for scripts that run as root

tlv_chroot_tools() {
    [ "$(id -u)" = 0 ] || tlv_die "${0##*/} must be run as root"
    command -v mmdebstrap >/dev/null && return
    tlv_run apt-get -q update >&2
    tlv_run apt-get -q install -y --no-install-recommends mmdebstrap >&2 || tlv_die "mmdebstrap is missing"
}

# The major version of the server of a release; nothing for an unknown one.
tlv_suite_major() { # suite
    case $1 in
        bullseye) echo 13 ;;
        bookworm) echo 15 ;;
        trixie) echo 17 ;;
        forky | sid) echo 18 ;;
    esac
}

# Makes a chroot in which the server's package makes no cluster.
tlv_make_chroot() { # suite, folder, packages (with commas, perhaps none)
    local mirror=${CHECK_VERSIONS_MIRROR:-}
    if [ -z "$mirror" ]; then # the mirror of this machine
        mirror=$(sed -n 's/^deb \(\[[^]]*\] *\)\{0,1\}\([^ ]*\) [^ ]* main.*/\2/p; s/^URIs: *\([^ ]*\).*/\1/p' \
            /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep '/debian/*$' | head -1) || true
    fi
    rm -rf --one-file-system "$2"
    # suites to come may be out of date
    # shellcheck disable=SC2016
    tlv_run mmdebstrap --mode=root --variant=minbase --quiet \
        --aptopt='Acquire::Check-Valid-Until "false"' \
        --essential-hook='cd "$1/etc" && mkdir -p postgresql-common/createcluster.d && cd postgresql-common &&
            echo "create_main_cluster = false" | tee createcluster.d/off.conf >createcluster.conf' \
        ${3:+--include="$3"} "$1" "$2" "${mirror:-http://deb.debian.org/debian}"
}

# Runs a command in a chroot, in a mount namespace of its own: the mounts go away with it.  Of the
# environment only the kernel of OpenBLAS comes along, which old releases do not find on new processors.
tlv_in_chroot() { # folder, command...
    # shellcheck disable=SC2016
    tlv_run unshare -m sh -c '
        set -e
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            ${OPENBLAS_CORETYPE:+"OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE"} \
            DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"' sh "$@"
}

# ---------------------------------------------------------------------------
# Sources and build

# A private copy of the sources in $TLV_WORK/src; the checkout is only read.
tlv_copy_sources() {
    mkdir "$TLV_WORK/src"
    tar -C "$TLV_ROOT" -cf - --exclude=./.git --exclude=./build --exclude='*.o' --exclude='*.so' \
        --exclude='*.bc' . | tar -C "$TLV_WORK/src" -xf - --no-same-owner
    chmod -R u+w,a+rX "$TLV_WORK/src"
}

# Builds the copy, or the folder TLV_BUILD_IN, and installs it below $TLV_WORK/stage.
tlv_build() {
    local folder=${TLV_BUILD_IN:-$TLV_WORK/src}
    PG_CONFIG=${PG_CONFIG:-pg_config}
    command -v "$PG_CONFIG" >/dev/null || tlv_die "$PG_CONFIG not found"
    export PG_CONFIG
    TLV_BINDIR=$("$PG_CONFIG" --bindir)
    [ -x "$TLV_BINDIR/initdb" ] ||
        tlv_die "$TLV_BINDIR/initdb is missing: install the server of $("$PG_CONFIG" --version)"
    export TLV_BINDIR TLV_STAGE="$TLV_WORK/stage"
    tlv_say "building for $("$PG_CONFIG" --version | cut -d ' ' -f 1,2), which takes some minutes"
    tlv_run_told building make -C "$folder" -s --no-print-directory -j"$TLV_JOBS" ||
        tlv_die "the build failed"
    tlv_run make -C "$folder" -s --no-print-directory install DESTDIR="$TLV_STAGE" \
        >"$TLV_WORK/install.log" 2>&1 || { cat "$TLV_WORK/install.log" >&2; tlv_die "the staged install failed"; }
    export PATH="$TLV_BINDIR:$PATH"
}

# ---------------------------------------------------------------------------
# The throw-away cluster

# The server refuses to run as root.
tlv_as_server() {
    if [ "$(id -u)" = 0 ]; then
        (cd / && exec runuser -u postgres -- "$@")
    else
        (cd / && exec "$@")
    fi
}

# Settings by which a server finds the staged extension.
tlv_stage_settings() {
    local pkglibdir sharedir settings
    pkglibdir=$("$PG_CONFIG" --pkglibdir)
    sharedir=$("$PG_CONFIG" --sharedir)
    printf "dynamic_library_path = '%s:\$libdir'\n" "$TLV_STAGE$pkglibdir"
    settings=$("$TLV_BINDIR/postgres" --describe-config | cut -f 1)
    if grep -qx extension_destdir <<<"$settings"; then
        printf "extension_destdir = '%s'\n" "$TLV_STAGE"
    elif grep -qx extension_control_path <<<"$settings"; then
        printf "extension_control_path = '%s:\$system'\n" "$TLV_STAGE$sharedir"
    else
        tlv_die "this server cannot load an extension that is not installed: it has neither extension_destdir (Debian, up to 17) nor extension_control_path (18)"
    fi
}

# Makes the data directory of a cluster called $TLV_CLUSTER_NAME; more settings, one per line, on standard input.
tlv_init_cluster() {
    TLV_CLUSTER="$TLV_WORK/${TLV_CLUSTER_NAME:-pg}"
    TLV_CLUSTERS+=("$TLV_CLUSTER")
    mkdir "$TLV_CLUSTER"
    chmod 755 "$TLV_CLUSTER"
    if [ "$(id -u)" = 0 ]; then
        id postgres >/dev/null 2>&1 || tlv_die "there is no user postgres to run the server"
        chown postgres "$TLV_CLUSTER"
    fi
    tlv_as_server "$TLV_BINDIR/initdb" -D "$TLV_CLUSTER/data" -U postgres -A trust -E UTF8 \
        --locale=C.UTF-8 --no-sync >"$TLV_WORK/initdb.log" 2>&1 ||
        { cat "$TLV_WORK/initdb.log" >&2; tlv_die "initdb failed"; }
    {
        echo "listen_addresses = ''"
        echo "unix_socket_directories = '$TLV_CLUSTER'"
        echo "fsync = off"
        echo "full_page_writes = off"
        echo "lc_messages = 'C'"
        echo "log_line_prefix = '%m [%p] %q%a '"
        tlv_stage_settings
        cat
    } >>"$TLV_CLUSTER/data/postgresql.conf"
    # for tests that start a second server
    TLV_SERVER_SETTINGS=$(tlv_stage_settings)
    export TLV_SERVER_SETTINGS
    export PGHOST="$TLV_CLUSTER" PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

tlv_start_cluster() {
    tlv_init_cluster
    tlv_as_server "$TLV_BINDIR/pg_ctl" -D "$TLV_CLUSTER/data" -l "$TLV_CLUSTER/log" -w -s -t 60 \
        start </dev/null || { cat "$TLV_CLUSTER/log" >&2; tlv_die "the cluster did not start"; }
}

# All that were started.
tlv_stop_clusters() {
    local cluster
    for cluster in "${TLV_CLUSTERS[@]}"; do
        if [ -e "$cluster/data/postmaster.pid" ]; then
            tlv_as_server "$TLV_BINDIR/pg_ctl" -D "$cluster/data" -m immediate -w -s -t 30 stop \
                >/dev/null 2>&1 || true
        fi
    done
    TLV_CLUSTERS=()
    TLV_CLUSTER=
}

# ---------------------------------------------------------------------------
# Counting: each runner adds a line 'passed failed skipped name' to $TLV_TALLY

tlv_tally_begin() {
    if [ -n "${TLV_TALLY:-}" ]; then TLV_TALLY_NAME="${0##*/}: "; fi # part of a larger run
    export TLV_TALLY="${TLV_TALLY:-$TLV_WORK/tally}"
    touch "$TLV_TALLY"
    TLV_TALLY_OPEN=yes
}

tlv_tally_add() { # passed failed skipped name
    echo "$1 $2 $3 $4" >>"$TLV_TALLY"
}

# A stage of the run begins, and the one before it ends: the closing line is
# preceded by what each has taken.
TLV_STAGE_NAME=
TLV_STAGE_BEGIN=0
TLV_STAGE_TIMES=()
tlv_stage() { # name, as one reads it
    if [ -n "$TLV_STAGE_NAME" ]; then
        TLV_STAGE_TIMES+=("time of $TLV_STAGE_NAME: $((SECONDS - TLV_STAGE_BEGIN)) s")
    fi
    TLV_STAGE_NAME=${1:-}
    TLV_STAGE_BEGIN=$SECONDS
    [ -z "$TLV_STAGE_NAME" ] || tlv_say "$TLV_STAGE_NAME"
}

# Prints the time of each stage and the closing line, which a part of a larger
# run begins with its name; fails when anything failed or nothing ran.
tlv_tally_end() {
    TLV_TALLY_OPEN=
    tlv_stage ''
    [ ${#TLV_STAGE_TIMES[@]} = 0 ] || printf '%s\n' "${TLV_STAGE_TIMES[@]}"
    awk -v name="$TLV_TALLY_NAME" '{ p += $1; f += $2; s += $3 }
        END {
            printf "%s%d passed, %d failed", name, p, f
            if (s > 0) printf ", %d skipped", s
            printf "\n"
            exit (f > 0 || p == 0)
        }' "$TLV_TALLY"
}
