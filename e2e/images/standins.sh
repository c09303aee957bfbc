# Sourced by build: the public base images, made on the spot where no registry can be reached, and a store for them.
# shellcheck shell=bash disable=SC2154

declare -A standin_tag=([debian]=docker.io/library/debian:bookworm-slim [redis]=docker.io/library/redis:7
    [python]=docker.io/library/python:3.11-slim [busybox]=docker.io/library/busybox:1.35
    [jdk]=docker.io/library/eclipse-temurin:25-jdk [k3s]=docker.io/rancher/k3s:v1.36.1-k3s1)

# Containers' storage of our own: the names above must not shadow what a user of podman has under them.
store() { # subcommand arguments…
    local subcommand=$1
    shift
    buildah --root "$cache/store" --runroot "$cache/run" "$subcommand" "$@" 9>&-
}

# Builds a Dockerfile from images of the store only. Docker's format: the other one knows no SHELL.
bud() { # tag context dockerfile option…
    local tag=$1 context=$2 file=$3 log
    log=$cache/build-$(basename "${tag%%:*}").log
    shift 3
    store bud --format docker --isolation chroot --pull-never --layers=false "$@" \
        --tag "$tag" --file "$context/$file" "$context" > "$log" 2>&1 \
        || { tail -n 40 "$log" >&2; fail "building $tag failed; all of it is in $log"; }
}

jdk_home() {
    local home
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
        if grep -qs '^JAVA_VERSION="25' "$home/release"; then echo "$home"; return; fi
    done
    fail 'no JDK 25 found: point JAVA_HOME at one'
}

cluster_parts() { "$root/e2e/cluster/build" 9>&-; }

standin_hash() { # name
    {
        sed -n -e '/^make_'"$1"'()/,/^}/p' -e '/^fill_'"$1"'()/,/^}/p' "${BASH_SOURCE[0]}"
        case $1 in
            jdk) cat "$(jdk_home)/release" ;;
            redis | python | busybox) standin_hash debian; cat "$here/standins/$1/Dockerfile" ;;
            k3s)
                standin_hash debian
                cat "$here/standins/k3s"/* "$root"/e2e/cluster/{config.sh,memory.sh,namespaces.sh,pki.sh,init}
                basename "$(dirname "$(cluster_parts)")" # a hash of what they are made of
                ;;
        esac
    } | sha256sum | cut -c1-16
}

# Made once, and again when its recipe changes: the hash is a label of the image.
standin() { # name
    local hash
    hash=$(standin_hash "$1")
    [ "$(store inspect --type image --format '{{index .OCIv1.Config.Labels "standin"}}' "${standin_tag[$1]}" 2> /dev/null)" \
        != "$hash" ] || return 0
    case $1 in redis | python | busybox | k3s) standin debian ;; esac
    say "${standin_tag[$1]}: making the stand-in"
    "make_$1" "$hash"
}

# An image of one layer from a folder that the given command fills.
image_from() { # tag hash config… -- fill-command…   (the folder is appended to the command)
    local tag=$1 hash=$2 container mount config=()
    shift 2
    while [ "$1" != -- ]; do config+=("$1"); shift; done
    shift
    container=$(store from scratch)
    mount=$(store mount "$container")
    "$@" "$mount" >&2
    store config --label "standin=$hash" "${config[@]}" "$container" >&2
    store commit --quiet --rm "$container" "$tag" > /dev/null
}

make_debian() {
    image_from "${standin_tag[debian]}" "$1" --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin -- fill_debian
}

fill_debian() { # folder
    debootstrap --variant=minbase bookworm "$1" > "$cache/debootstrap.log" || fail "debootstrap failed: $cache/debootstrap.log"
    # Packages come from where this machine gets them; services do not start in a build.
    if [ -f /etc/apt/sources.list.d/debian.sources ] && grep -q bookworm /etc/apt/sources.list.d/debian.sources; then
        cp /etc/apt/sources.list.d/debian.sources "$1/etc/apt/sources.list.d/"
        : > "$1/etc/apt/sources.list"
    fi
    printf '#!/bin/sh\nexit 101\n' > "$1/usr/sbin/policy-rc.d"
    chmod 0755 "$1/usr/sbin/policy-rc.d"
    rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1"/var/log/* "$1"/usr/share/{doc,man,info,locale}/*
    printf 'path-exclude /usr/share/%s/*\n' doc man info locale > "$1/etc/dpkg/dpkg.cfg.d/docs"
}

make_redis() { bud_standin redis "$1"; }

make_busybox() { bud_standin busybox "$1"; }

make_python() { bud_standin python "$1"; }

make_k3s() {
    bud_standin k3s "$1" --build-context "parts=$(cluster_parts)" --build-context "cluster=$root/e2e/cluster"
}

bud_standin() { # name hash option…
    local container
    bud "${standin_tag[$1]}" "$here/standins/$1" Dockerfile "${@:3}"
    container=$(store from --pull-never "${standin_tag[$1]}")
    store config --label "standin=$2" "$container" >&2
    store commit --quiet --rm "$container" "${standin_tag[$1]}" > /dev/null
}

make_jdk() {
    image_from "${standin_tag[jdk]}" "$1" --env JAVA_HOME=/opt/java/openjdk -- fill_jdk
}

fill_jdk() { # folder
    mkdir -p "$1/opt/java/openjdk"
    # Debian's packages link to files elsewhere, such as the certificates.
    cp -rL --preserve=mode,timestamps "$(jdk_home)/." "$1/opt/java/openjdk/"
    rm -f "$1/opt/java/openjdk/lib/src.zip"
}
