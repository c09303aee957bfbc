# shellcheck shell=bash
# An engine for containers instead of a cluster: podman's service, of which Testcontainers thinks that it is Docker's. To be
# sourced behind namespaces.sh and config.sh; expects dir, name and, once known, net and link.
#
# It is a member like any other, in namespaces of its own. So whatever podman makes for its containers (bridge, chains,
# forwarding, mounts, processes) is none of the machine's, and goes with the first process, however that ends. A user's own
# podman, with its images and its network, is not even seen. The one thing that has no end by itself are cgroups: podman's
# lie below that of the run, and so do those that a container makes.

check_engine() {
    local plugin=
    lacks podman:podman conmon:conmon runc:runc iptables:iptables buildah:buildah debootstrap:debootstrap
    for plugin in /usr/lib/cni/portmap /usr/libexec/cni/portmap /opt/cni/bin/portmap /usr/lib/podman/netavark \
        /usr/libexec/podman/netavark; do
        [ ! -x $plugin ] || return 0
    done
    echo 'a network for podman (apt-get install containernetworking-plugins)'
}

engine() { # NAME OWNER|''
    name=$1 dir=$clusters/$1
    bin=$dir/bin # it has none of the cluster's programs
    wanted "$2"
    require_machine check_engine
    sweep
    if [ -d "$dir" ] && ! is_engine "$dir"; then say "'$name' is a cluster"; exit 1; fi
    if [ -d "$dir" ]; then
        use "$name"
        say "'$name' is up already"
        variables
        return
    fi
    begin "$2"
    locked take_network
    read -r link net < "$dir/network"
    configure_engine
    start_engine
    await_engine
    stands
    say "'$name' is ready in $SECONDS s; its address is $(engine_ip), logs are in $dir/log"
    variables
}

engine_ip() { echo "$net.0.2"; }

# What Testcontainers has to know. Its Ryuk would remove containers, but its image cannot be pulled here, and our own watcher
# removes all. The images are built as ever: what answers at DOCKER_HOST has no base images.
variables() {
    echo "export DOCKER_HOST=unix://$dir/podman.sock"
    echo "export TESTCONTAINERS_HOST_OVERRIDE=$(engine_ip)"
    echo 'export TESTCONTAINERS_RYUK_DISABLED=true'
    echo 'export TESTCONTAINERS_CHECKS_DISABLE=true'
    echo 'export QUIVER_IMAGE_BUILDER=buildah'
    echo 'export QUIVER_E2E_CLUSTER=k3s'
}

client() { podman --url "unix://$dir/podman.sock" "$@"; }

# At most what this shell may have: podman asks for more by default, and cannot give it without CAP_SYS_RESOURCE.
limits() {
    local processes most
    most=$(cat /proc/sys/kernel/pid_max)
    processes=$(ulimit -Hu)
    [[ $processes =~ ^[0-9]+$ ]] && [ "$processes" -lt "$most" ] || processes=$most
    echo "\"nofile=$(ulimit -Hn):$(ulimit -Hn)\", \"nproc=$processes:$processes\""
}

configure_engine() {
    member engine
    mkdir "$dir/engine/networks"
    echo "quiver/$name/engine" > "$dir/engine/cgroup"
    # There is no route to anywhere else: what would leave fails at once, as in a cluster.
    {
        await_link host
        echo "ip addr add $(engine_ip)/24 dev host"
        echo 'ip link set host up'
        own_cgroups
    } > "$dir/engine/network"
    cat > "$dir/engine/containers.conf" << TOML
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
log_driver = "k8s-file"
default_ulimits = [$(limits)]
[network]
network_config_dir = "$dir/engine/networks"
TOML
    part engine podman << PART
rm -f $dir/podman.sock
export CONTAINERS_CONF=$dir/engine/containers.conf
exec podman --root $dir/store --runroot /run/podman --storage-driver overlay system service --time=0 unix://$dir/podman.sock
PART
}

# The mounts that were there show the machine's cgroups, and new ones those below the member's.
own_cgroups() {
    cat << 'NETWORK'
grep ' cgroup2\? ' /proc/mounts > /run/cgroups
while read -r _ at _; do umount "$at"; done < /run/cgroups
while read -r _ at kind options _; do
    mount -t "$kind" -o "$(sed 's/release_agent=[^,]*,*//' <<< "$options")" "$kind" "$at"
done < /run/cgroups
NETWORK
}

start_engine() {
    locked make_cgroups engine
    start_member engine
    if one_tree; then leave_cgroup; fi
    ip link set "${link}c" netns "$(init_of engine)" name host
}

# In cgroup v2 a cgroup with controllers for others holds no process: those of the member go one further down. From outside,
# because its holder is out of sight from inside.
leave_cgroup() {
    local group=/sys/fs/cgroup/quiver/$name/engine process
    mkdir "$group/init"
    while [ -s "$group/cgroup.procs" ] && [ -n "$(cat "$group/cgroup.procs")" ]; do
        while read -r process; do echo "$process" > "$group/init/cgroup.procs" || true; done < "$group/cgroup.procs"
    done 2> /dev/null
    pass_on "$group"
}

await_engine() {
    local deadline=$((SECONDS + 120))
    until client info > /dev/null 2>&1; do
        [ $SECONDS -lt $deadline ] || { say 'podman does not answer'; tail -n 20 "$dir/log/"engine* >&2; exit 1; }
        sleep .1
    done
}
