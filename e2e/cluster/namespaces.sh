# shellcheck shell=bash
# The ground a cluster stands on: addresses and links on the host, namespaces, cgroups. To be sourced; expects dir, name
# and, once known, net and link.

# started PID: a number that together with the pid names one process of this machine's uptime, or nothing.
started() { cut -d')' -f2- "/proc/$1/stat" 2> /dev/null | cut -d' ' -f21; }

# record FILE PID, alive FILE, recorded FILE: a process remembered across our own runs, without mistaking a later one for it.
record() { echo "$2 $(started "$2")" > "$1"; }
recorded() { cut -d' ' -f1 "$1"; }
alive() {
    local pid when
    [ -f "$1" ] && read -r pid when < "$1" && [ -n "$when" ] && [ "$(started "$pid")" = "$when" ]
}

end_recorded() {
    if alive "$1"; then
        kill -KILL "$(recorded "$1")" 2> /dev/null || true
        tail -s .05 --pid="$(recorded "$1")" -f /dev/null
    fi
    rm -f "$1"
}

# locked COMMAND...: under the lock of the machine, for what all its clusters share: addresses, and the cgroup above theirs.
locked() {
    (
        flock 9
        "$@"
    ) 9> /run/lock/quiver-cluster.lock
}

# The address of this cluster's link, by which it is told from one of the same name that another cluster made since.
link_address() { md5sum <<< "$name" | sed 's/^\(..\)\(..\)\(..\)\(..\)\(..\).*/02:\1:\2:\3:\4:\5/'; }

# Takes the first range that nothing on this machine routes yet, by making the link to it. Writes the link's name and the
# range to dir/network.
take_network() {
    local index=0 range routes
    for range in 10.{200..249} 172.{20..31} 198.{18,19}; do
        index=$((index + 1))
        if ip link show "qv$index" > /dev/null 2>&1; then continue; fi
        routes=$(ip -4 route show table all root "$range.0.0/16"; ip -4 route show table all match "$range.0.0/16")
        if grep -qv '^default' <<< "$routes" && [ -n "$routes" ]; then continue; fi
        echo "qv$index $range" > "$dir/network"
        ip link add "qv$index" address "$(link_address)" type veth peer name "qv${index}c"
        ip addr add "$range.0.1/24" dev "qv$index"
        ip link set "qv$index" up
        ip route add "$range.0.0/16" via "$range.0.2" dev "qv$index"
        return
    done
    say 'no free range of addresses on this machine'
    return 1
}

# Removes the link if it is still this cluster's: two may be removing one cluster, and a third has taken the name since.
release_network() {
    if [ "$(cat "/sys/class/net/$link/address" 2> /dev/null)" = "$(link_address)" ]; then
        ip link del "$link" 2> /dev/null || true # it goes with the control plane's namespace as well
    fi
}

# in_member MEMBER NSENTER_FLAGS COMMAND...
in_member() {
    local member=$1 flags=$2
    shift 2
    # shellcheck disable=SC2086 # flags are several words
    nsenter --target "$(init_of "$member")" $flags -- "$@"
}

# init_of MEMBER: the pid of its first process.
init_of() { pgrep -P "$(recorded "$dir/$1/holder")"; }

# Starts the first process of a member in namespaces of its own; it waits for its link. Its holder writes itself down
# before it starts anything, so that an interrupted `up` never leaves a process that no record leads to.
start_member() {
    rm -f "$dir/$1/holder"
    setsid "$here/init" hold "$dir/$1" "$dir/log/$1" >> "$dir/log/$1-init.log" 2>&1 < /dev/null &
    until [ -s "$dir/$1/holder" ] && init_of "$1" > /dev/null; do sleep .02; done
}

start_control() {
    start_member control
    local init
    init=$(init_of control)
    ip link set "${link}c" netns "$init" name host
    until [ -e "$dir/control/running/etcd" ]; do # its network stands then: nodes can be wired to it
        alive "$dir/control/holder" || { cat "$dir/log/control-init.log" >&2; exit 1; }
        sleep .02
    done
}

start_node() {
    locked make_cgroups "node-$1" # the end of another cluster removes the upper ones when they are empty
    pass_on "/sys/fs/cgroup/quiver/$name/node-$1"
    start_member "node-$1"
    in_member control --net ip link add "node-$1" type veth \
        peer name eth0 address "$(mac "$1")" netns "$(init_of "node-$1")"
    in_member control --net ip link set "node-$1" master eth0 up
}

end_member() {
    local init=''
    if alive "$dir/$1/holder"; then init=$(init_of "$1") || true; fi
    end_recorded "$dir/$1/holder" # the kernel kills the init when its holder dies
    [ -z "$init" ] || tail -s .05 --pid="$init" -f /dev/null
    remove_cgroups "/$1"
}

# To the kernel the pods of all nodes are one group, which by default weighs as much as a single process outside it, such
# as a kubelet. On a busy machine they would starve: so many processes they weigh.
pods_weigh=8

one_tree() { [ -f /sys/fs/cgroup/cgroup.controllers ]; } # cgroup v2

# pass_on CGROUP: its controllers to those below it. That one may hold no process then.
pass_on() {
    local controller
    one_tree || return 0
    for controller in cpuset cpu io memory hugetlb pids; do # one by one: a kernel may lack some
        echo "+$controller" > "$1/cgroup.subtree_control" || true
    done 2> /dev/null
}

# cgroup v1 has a tree for each controller, v2 one for all; a node's pods live under its own cgroup in either.
make_cgroups() {
    local root path=quiver/$name/$1 step
    if one_tree; then
        root=/sys/fs/cgroup
        for step in quiver "$name" "$1"; do
            pass_on "$root"
            root=$root/$step
            mkdir -p "$root"
        done
        echo $((pods_weigh * 100)) > /sys/fs/cgroup/quiver/cpu.weight || true
        return
    fi
    for root in /sys/fs/cgroup/*/; do
        mkdir -p "$root$path"
        [ ! -f "$root/quiver/cpu.shares" ] || echo $((pods_weigh * 1024)) > "$root/quiver/cpu.shares"
        if [ -f "$root/cpuset.cpus" ]; then # a new cpuset is empty and holds nobody
            for step in quiver "quiver/$name" "$path"; do
                cat "$root/cpuset.cpus" > "$root/$step/cpuset.cpus"
                cat "$root/cpuset.mems" > "$root/$step/cpuset.mems"
            done
        fi
    done
}

remove_cgroups() { # [/MEMBER]: a killed process stays in its cgroup until the kernel has buried it
    local tree
    for tree in "/sys/fs/cgroup/quiver/$name${1:-}" /sys/fs/cgroup/*/"quiver/$name${1:-}"; do
        [ -d "$tree" ] || continue
        for _ in {1..600}; do
            find "$tree" -depth -type d -exec rmdir {} + 2> /dev/null
            [ -d "$tree" ] || break
            sleep .05
        done
        [ ! -d "$tree" ] || say "cgroup $tree is still in use"
    done
}
