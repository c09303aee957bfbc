# shellcheck shell=bash
# Our two images, built by the engine of a person's machine from our Dockerfiles, and brought to a cluster of theirs. To be
# sourced behind machine.sh; expects say, root.

images_usage() {
    cat >&2 <<'END'
e2e/run images                    builds the images without an engine and prints the path of each archive
e2e/run images --kind NAME        builds operator and worker by docker or podman, and loads them into that kind cluster
e2e/run images --push REGISTRY    the same, and pushes them: registry.example.com/team; the helm command names their digests
END
    exit 2
}

# image_engine: docker where its daemon answers, else podman.
image_engine() {
    if docker info > /dev/null 2>&1; then echo docker; return; fi
    if command -v podman > /dev/null; then echo podman; return; fi
    say 'neither docker nor podman builds images here: docker info says why, or install one of them'
    return 1
}

# engine_arch ENGINE: amd64 or arm64, that of the machine (or of its virtual one) where the engine builds.
engine_arch() {
    local arch
    case $1 in
        docker) arch=$(docker version --format '{{.Server.Arch}}') ;;
        podman) arch=$(podman info --format '{{.Host.Arch}}') ;;
    esac
    case $arch in
        amd64 | arm64) echo "$arch" ;;
        *) say "$1 builds for '$arch': there are images for amd64 and arm64"; return 1 ;;
    esac
}

# build_agent ENGINE ARCH VERSION: where worker-image/Dockerfile looks for it. By this machine's musl, else in a container.
build_agent() {
    local own
    own=$(uname -sm | sed 's/^Linux x86_64$/amd64/; s/^Linux aarch64$/arm64/')
    if [ "$own" = "$2" ] && command -v musl-gcc make > /dev/null; then
        make -s -C "$root/worker-image/agent" >&2
        return
    fi
    say "building the agent for $2 in a container"
    "$1" run --rm --volume "$root/worker-image/agent:/agent" docker.io/library/debian:bookworm-slim sh -ec "
        apt-get update -qq && apt-get install -y -qq --no-install-recommends make musl-tools > /dev/null
        make -s -C /agent BUILD=build/$2 VERSION=$3 build/$2/quiver-agent build/$2/libquiver.so build/$2/musl" >&2
}

# bring_images --kind NAME | --push REGISTRY: the last line that it prints is the helm command that follows.
bring_images() {
    local way=$1 to=${2:-} engine arch version registry name image digests=''
    case $way in
        --kind)
            [[ $to =~ ^[a-z0-9][a-z0-9.-]*$ ]] || { say "--kind $to: is no name of a kind cluster; kind get clusters lists them"; return 2; }
            command -v kind > /dev/null || { say 'kind is missing: https://kind.sigs.k8s.io has it'; return 1; }
            registry=localhost # no registry serves it: a node that lacks an image pulls no stranger's
            ;;
        --push)
            [[ $to =~ ^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$ ]] \
                || { say "--push $to: is no registry; such as registry.example.com/team, in lower case"; return 2; }
            registry=$to
            ;;
        *) images_usage ;;
    esac
    engine=$(image_engine)
    arch=$(engine_arch "$engine")
    version=$(sed -n 's:^  <version>\(.*\)</version>:\1:p' "$root/pom.xml")
    find_jdk
    command -v mvn > /dev/null || { say 'Maven is missing: apt-get install maven, or https://maven.apache.org'; return 1; }
    say 'building Quiver'
    mvn -q -B -ntp -Dstyle.color=never -f "$root/pom.xml" \
        -pl operator/controller,operator/history,worker-image/supervisor -am package -DskipTests >&2 < /dev/null
    build_agent "$engine" "$arch" "$version"
    for name in operator worker; do
        image=$registry/quiver/$name:$version
        # shellcheck disable=SC2046 # an option of two words, or none
        say "building $image for $arch by $engine"
        # Not every builder sets it, and only the worker's image has a binary of ours.
        "$engine" build --tag "$image" $([ $name = operator ] || echo "--build-arg TARGETARCH=$arch") \
            "$root/$(image_context $name)" >&2
    done
    for name in operator worker; do
        image=$registry/quiver/$name:$version
        case $way:$engine in
            --push:*) digests+=,$name.image.digest=$(push_image "$engine" "$image") ;;
            --kind:docker) kind load docker-image "$image" --name "$to" >&2 ;;
            --kind:podman) load_archive "$image" "$to" ;;
        esac
    done
    echo "helm upgrade --install quiver charts/quiver -n quiver-system --create-namespace --wait --set image.registry=$registry$digests"
}

# push_image ENGINE IMAGE: prints the digest under which the registry has it. That is not the engine's own: layers are
# compressed on their way.
push_image() {
    local file digest
    case $1 in
        docker)
            digest=$(docker push "$2" | tee /dev/stderr | sed -n 's/.*: digest: \(sha256:[0-9a-f]*\) size: .*/\1/p' | tail -n 1) \
                || return 1
            ;;
        podman)
            file=$(mktemp)
            podman push --digestfile "$file" "$2" >&2 || { rm -f "$file"; return 1; }
            digest=$(cat "$file")
            rm -f "$file"
            ;;
    esac
    [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { say "$1 names no digest of $2: '$digest'"; return 1; }
    echo "$digest"
}

image_context() { # operator|worker
    case $1 in operator) echo operator ;; worker) echo worker-image ;; esac
}

# load_archive IMAGE CLUSTER: kind asks docker for an image by its name, and takes podman's as a file.
load_archive() {
    local archive
    archive=$(mktemp)
    podman save --quiet --output "$archive" "$1" >&2 && kind load image-archive "$archive" --name "$2" >&2 \
        || { rm -f "$archive"; return 1; }
    rm -f "$archive"
}
