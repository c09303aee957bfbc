# shellcheck shell=bash
# What the members of a cluster are told: the network plan, and the files in which each part reads its orders; and when they
# have all followed them. To be sourced; expects dir (the run's folder), name, bin and net (the first two numbers of its
# addresses); memory.sh too. The stand-in for k3s has its copy (e2e/images/standins/k3s).

# The plan of one cluster, all of it in NET.0.0/16:
#   NET.0.0/24   host .1, control plane .2, node k at .(10+k), on a bridge in the control plane's namespace
#   NET.16.0/20  pods, a /24 for each node
#   NET.32.0/20  services, DNS at NET.32.10
control_ip() { echo "$net.0.2"; }
node_ip() { echo "$net.0.$((10 + $1))"; }
mac() { printf '02:51:56:00:00:%02x' "$1"; } # 0: control plane, k: node k; the same after a node came back
node_pods() { echo "$net.$((16 + $1)).0/24"; }

# How soon the pods of a lost node are given up. Kubernetes' own default, 300 s, would make every test of a lost node
# take six minutes.
eviction_seconds=5

part() { # MEMBER NAME: stdin becomes the part's command
    { printf 'export PATH=%q:$PATH %s\n' "$bin" "$few_collections"; cat; } > "$dir/$1/parts/$2"
}

await_link() { echo "until ip link show $1 > /dev/null 2>&1; do sleep .02; done"; }

member() { mkdir -p "$dir/$1"/{parts,stopped,running}; }

proxy() { # MEMBER NODE: kube-proxy of a member
    cat > "$dir/$1/proxy.yaml" << YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clientConnection: {kubeconfig: $dir/proxy.kubeconfig}
clusterCIDR: $net.16.0/20
hostnameOverride: $2
conntrack: {maxPerCore: 0, min: 0}
metricsBindAddress: 127.0.0.1:10249
YAML
    part "$1" proxy <<< "exec kube-proxy --config $dir/$1/proxy.yaml"
}

configure_control() { # NODES GRACE: the seconds after which a silent node is lost, 50 in Kubernetes itself
    local ip pki=$dir/pki k api
    ip=$(control_ip)
    api=https://$ip:6443
    member control
    mkdir -p "$pki/aggregation" "$dir/control/etcd"
    new_authority "$pki"
    # Of the API server's word on who asks, to the servers behind it. Whoever this authority certifies may claim any name.
    new_authority "$pki/aggregation"
    certify "$pki/aggregation" proxy /CN=aggregator
    certify "$pki" apiserver /CN=kube-apiserver "IP:127.0.0.1,IP:$ip,IP:$net.32.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc${other_names:-}"
    certify "$pki" admin /O=system:masters/CN=admin
    certify "$pki" kcm /CN=system:kube-controller-manager
    certify "$pki" scheduler /CN=system:kube-scheduler
    certify "$pki" proxy /CN=system:kube-proxy
    for k in admin kcm scheduler proxy; do kubeconfig "$pki" $k "$api" > "$dir/$k.kubeconfig"; done
    mv "$dir/admin.kubeconfig" "$dir/kubeconfig"

    # eth0 is the bridge that all members hang on; the namespace is also the host's router to pods and services.
    {
        await_link host
        # An address of its own: a bridge otherwise takes that of a port, and changes it when that port's node is lost,
        # which cuts everyone off until their neighbour tables have noticed.
        echo "ip link add eth0 address $(mac 0) type bridge"
        echo 'ip link set host master eth0 up'
        echo "ip addr add $ip/24 dev eth0"
        echo 'ip link set eth0 up'
        for ((k = 1; k <= $1; k++)); do echo "ip route add $(node_pods $k) via $(node_ip $k)"; done
    } > "$dir/control/network"

    part control etcd << PART
exec etcd --data-dir $dir/control/etcd --unsafe-no-fsync --log-level warn \\
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
PART
    part control apiserver << PART
exec kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=$ip --advertise-address=$ip --secure-port=6443 \\
    --service-cluster-ip-range=$net.32.0/20 --client-ca-file=$pki/ca.crt \\
    --tls-cert-file=$pki/apiserver.crt --tls-private-key-file=$pki/apiserver.key \\
    --kubelet-client-certificate=$pki/admin.crt --kubelet-client-key=$pki/admin.key \\
    --kubelet-certificate-authority=$pki/ca.crt --kubelet-preferred-address-types=InternalIP \\
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=$pki/sa.key \\
    --service-account-signing-key-file=$pki/sa.key --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \\
    --allow-privileged --enable-aggregator-routing=true --requestheader-client-ca-file=$pki/aggregation/ca.crt \\
    --requestheader-allowed-names=aggregator --requestheader-username-headers=X-Remote-User \\
    --requestheader-group-headers=X-Remote-Group --requestheader-extra-headers-prefix=X-Remote-Extra- \\
    --proxy-client-cert-file=$pki/aggregation/proxy.crt --proxy-client-key-file=$pki/aggregation/proxy.key \\
    --default-not-ready-toleration-seconds=$eviction_seconds --default-unreachable-toleration-seconds=$eviction_seconds
PART
    part control controller-manager << PART
exec kube-controller-manager --kubeconfig=$dir/kcm.kubeconfig --use-service-account-credentials --leader-elect=false \\
    --service-account-private-key-file=$pki/sa.key --root-ca-file=$pki/ca.crt \\
    --cluster-signing-cert-file=$pki/ca.crt --cluster-signing-key-file=$pki/ca.key \\
    --cluster-cidr=$net.16.0/20 --allocate-node-cidrs=false \\
    --node-monitor-period=1s --node-monitor-grace-period=${2}s --node-eviction-rate=10
PART
    part control scheduler <<< "exec kube-scheduler --kubeconfig=$dir/scheduler.kubeconfig --leader-elect=false"
    # So that service addresses work from the host and the API server, whichever node is lost. It stands in for node-1,
    # because a proxy wants a node; that only matters to services that prefer their own node.
    proxy control node-1
    cat > "$dir/control/Corefile" << COREFILE
.:53 {
    bind $ip
    errors
    ready 127.0.0.1:8181
    kubernetes cluster.local in-addr.arpa {
        kubeconfig $dir/kubeconfig quiver
    }
}
COREFILE
    part control coredns <<< "exec coredns -conf $dir/control/Corefile"
}

configure_node() { # K NODES
    local k=$1 j ip pki=$dir/pki home=$dir/node-$1
    ip=$(node_ip "$k")
    member "node-$k"
    mkdir -p "$home/cni"
    certify "$pki" "node-$k" "/O=system:nodes/CN=system:node:node-$k" "IP:$ip,DNS:node-$k"
    kubeconfig "$pki" "node-$k" "https://$(control_ip):6443" > "$home/kubeconfig"

    {
        await_link eth0
        echo "ip addr add $ip/24 dev eth0"
        echo 'ip link set eth0 up'
        # The control plane's namespace knows no way out of the cluster: what would leave fails at once, in words.
        echo "ip route add default via $(control_ip)"
        for ((j = 1; j <= $2; j++)); do
            [ $j = "$k" ] || echo "ip route add $(node_pods $j) via $(node_ip $j)"
        done
    } > "$home/network"

    cat > "$home/containerd.toml" << TOML
version = 3
root = "$home/containerd"
state = "/run/containerd"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "quiver.local/pause:1"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true   # without CAP_SYS_RESOURCE runc cannot lower it, and dies
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["$bin"]
    conf_dir = "$home/cni"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      BinaryName = "$bin/runc"
      SystemdCgroup = false
TOML
    # Routed, not bridged: a reply between two pods of one node passes the node's address translation on any kernel,
    # with or without br_netfilter. Pods keep their addresses between nodes.
    cat > "$home/cni/pods.conflist" << JSON
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipMasq": false, "ipam": {"type": "host-local", "dataDir": "/run/cni/addresses",
    "ranges": [[{"subnet": "$(node_pods "$k")"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "backend": "nftables", "capabilities": {"portMappings": true}}]}
JSON
    cat > "$home/kubelet.yaml" << YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $ip
authentication: {x509: {clientCAFile: $pki/ca.crt}, webhook: {enabled: true}, anonymous: {enabled: false}}
authorization: {mode: Webhook}
tlsCertFile: $pki/node-$k.crt
tlsPrivateKeyFile: $pki/node-$k.key
cgroupDriver: cgroupfs
cgroupRoot: /quiver/$name/node-$k
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
podLogsDir: $home/pod-logs
clusterDNS: [$net.32.10]
clusterDomain: cluster.local
resolvConf: /dev/null
nodeLeaseDurationSeconds: 8   # renewed every quarter of it
evictionHard: {nodefs.available: "1%", imagefs.available: "1%", memory.available: "100Mi"}
imageGCHighThresholdPercent: 100   # there is nowhere to pull a collected image from
serializeImagePulls: false
crashLoopBackOff: {maxContainerRestartPeriod: 20s}   # five minutes by default, which an hour of accidents would wait for
makeIPTablesUtilChains: false
healthzBindAddress: 127.0.0.1
YAML
    part "node-$k" containerd <<< "exec containerd --config $home/containerd.toml"
    # A pod whose sandbox image is missing hangs for 50 s in silence: it is there before kubelet is.
    part "node-$k" kubelet << PART
until [ -S /run/containerd/containerd.sock ] && ctr version > /dev/null 2>&1; do sleep .05; done
ctr -n k8s.io images ls -q | grep -qx quiver.local/pause:1 || ctr -n k8s.io images import $bin/pause.tar
exec kubelet --config $home/kubelet.yaml --kubeconfig $home/kubeconfig --hostname-override=node-$k --node-ip=$ip --root-dir $home/kubelet
PART
    proxy "node-$k" "node-$k"
}

dns_service() {
    cat << YAML
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: $net.32.10, ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns-control, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
endpoints: [{addresses: ["$(control_ip)"], conditions: {ready: true}}]
YAML
}

kubectl() { "$bin/kubectl" --kubeconfig "$dir/kubeconfig" "$@"; }

# await_ready NODES: until pods can be created.
await_ready() {
    local k deadline=$((SECONDS + 600)) # several may be starting on a busy machine
    until kubectl get --raw /readyz > /dev/null 2>&1; do
        [ $SECONDS -lt $deadline ] || { say 'the API server did not get ready'; exit 1; }
        sleep .2
    done
    dns_service | kubectl apply -f - > /dev/null
    for ((k = 1; k <= $1; k++)); do kubectl wait --for=create --timeout=600s "node/node-$k" > /dev/null; done
    kubectl wait --for=condition=Ready --timeout=600s node --all > /dev/null
    # Pods are refused until it is there.
    kubectl wait --for=create --timeout=600s serviceaccount/default > /dev/null
}
