# shellcheck shell=bash
# What a bare Debian machine lacks, installed or named with the command that installs it. To be sourced; expects say, root.

# packages NAME...: installed afterwards. No service is started by it: Debian would start a redis-server of its own.
packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f '${Status}' "$name" 2> /dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
        say "missing on this machine: ${missing[*]}"
        say "as root: apt-get install --no-install-recommends ${missing[*]}   (or what they are called here)"
        exit 1
    fi
    say "installing ${missing[*]}"
    local policy=/usr/sbin/policy-rc.d log
    log=$(mktemp)
    (
        if [ ! -e $policy ]; then
            trap 'rm -f $policy' EXIT
            printf '#!/bin/sh\nexit 101\n' > $policy
            chmod +x $policy
        fi
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"
    ) > "$log" 2>&1 < /dev/null || { tail -n 20 "$log" >&2; say "apt-get could not install ${missing[*]}"; exit 1; }
    rm -f "$log"
}

# Exports a JAVA_HOME of 25 or newer: the one that is set, one of /usr/lib/jvm, the one on the PATH.
find_jdk() {
    local home
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/*25* /usr/lib/jvm/* "$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")" 2> /dev/null)"; do
        if [ -x "$home/bin/javac" ] && [ "$("$home/bin/javac" -version 2>&1 | sed 's/^javac \([0-9]*\).*/\1/')" -ge 25 ]; then
            export JAVA_HOME=$home
            # Maven's own libraries still use what this JDK warns about.
            export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
            return
        fi
    done
    if [ "$(id -u)" = 0 ] && apt-cache show openjdk-25-jdk-headless > /dev/null 2>&1; then
        packages openjdk-25-jdk-headless
        find_jdk
        return
    fi
    say 'there is no JDK 25: install one (apt-get install openjdk-25-jdk where Debian has it, else https://adoptium.net) into /usr/lib/jvm or set JAVA_HOME'
    exit 1
}

# Where a Go may be, beside the PATH.
go_folders() { printf '%s\n' /usr/local/go/bin /usr/lib/go-*/bin "$HOME"/go/bin "$HOME"/sdk/go*/bin; }

# may_fetch GO: whether it fetches a newer Go by itself. Debian's own is set not to, which is no word of this machine's user.
may_fetch() {
    [ "$("$1" env GOTOOLCHAIN)" = local ] || return 0
    [ -z "${GOTOOLCHAIN:-}" ] && ! grep -qs '^GOTOOLCHAIN=' "$("$1" env GOENV)"
}

# Puts a Go of 1.26 or newer on the PATH; from 1.21 on Go fetches the newer one by itself, unless told not to.
find_go() {
    local folder version debian
    while read -r folder; do
        [ -f "$folder/go" ] && [ -x "$folder/go" ] || continue
        version=$(cd / && "$folder/go" env GOVERSION | sed 's/^go1\.\([0-9]*\).*/\1/')
        if [ "$version" -ge 26 ] || { [ "$version" -ge 21 ] && may_fetch "$folder/go"; }; then
            [ "$version" -ge 26 ] || export GOTOOLCHAIN=${GOTOOLCHAIN:-auto}
            export PATH=$folder:$PATH
            return
        fi
    done < <(dirname "$(command -v go)" 2> /dev/null; go_folders)
    debian=$(apt-cache policy golang-go 2> /dev/null | sed -n 's/^ *Candidate: \([0-9]*:\)\?1\.\([0-9]*\).*/\2/p')
    if [ "$(id -u)" = 0 ] && [ "${debian:-0}" -ge 21 ] && [ "${GOTOOLCHAIN:-}" != local ] && [ "${1:-}" != installed ]; then
        packages golang-go
        find_go installed
        return
    fi
    say 'there is no Go 1.26 or newer, which builds the cluster (apt-get install golang-go where Debian has 1.21 or newer, else https://go.dev/dl, unpacked into /usr/local/go or put on the PATH)'
    exit 1
}

# What the local cluster and its build want of the machine.
cluster_machine() {
    packages gcc libc6-dev libseccomp-dev pkg-config iproute2 nftables openssl procps util-linux ca-certificates git
    find_go
}

# libFuzzer for the agent's readers. Only Debian's own is installed; without it the test that wants it is skipped by name.
fuzz_machine() {
    ! make -s -C "$root/worker-image/agent" fuzz-tools > /dev/null 2>&1 || return 0
    [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null || return 0
    packages clang
    local runtime
    runtime=libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev
    ! apt-cache show "$runtime" > /dev/null 2>&1 || packages "$runtime"
}

# What the whole build with its tests wants.
test_machine() {
    cluster_machine
    packages redis-server redis-tools postgresql musl-tools make maven debootstrap buildah
    packages podman runc containernetworking-plugins iptables # the provider k3s is run on podman
    command -v npm > /dev/null || packages nodejs npm # the interop tests run npm's idoit
    python3 -c 'import ensurepip' 2> /dev/null || packages python3 python3-venv
    packages prometheus # its promtool tests the alerts, and it reads a real installation
    packages chromium chromium-driver # the history's page is tested in a real browser
    fuzz_machine
    find_jdk
}
