# shellcheck shell=bash
# The local cluster, and from nothing to a finished run of the demo. To be sourced; expects say, usage, root; sets running.

# run_cluster up|down|status
run_cluster() {
    local cluster=$root/e2e/cluster/cluster
    case $1 in
        up)
            cluster_machine
            # A busy machine keeps healthy nodes from saying that they live, and a lost one takes Redis and the record along.
            "$cluster" up local --grace 120 > /dev/null
            "$cluster" status local
            ;;
        down | status) "$cluster" "$1" local ;;
        *) usage ;;
    esac
}

# build_images: compiles what the images hold and prints their archives.
build_images() {
    test_machine
    say 'building Quiver'
    mvn -q -B -ntp -Dstyle.color=never -f "$root/pom.xml" -pl operator/controller,operator/history,worker-image/supervisor,operator/slots -am package -DskipTests >&2 < /dev/null
    make -s -C "$root/worker-image/agent" >&2
    "$root/e2e/images/build" all
}

# The cluster is the one that QUIVER_E2E_KUBECONFIG names (its nodes find the images by themselves), else the local one.
run_demo() {
    local archives bin status=0 cluster=$root/e2e/cluster/cluster
    cluster_machine
    bin=$("$root/e2e/cluster/build")
    export HELM=$bin/helm KUBECTL=$bin/kubectl
    if [ -n "${QUIVER_E2E_KUBECONFIG:-}" ]; then
        export KUBECONFIG=$QUIVER_E2E_KUBECONFIG
        unset DEMO_REMOVE
    else
        archives=$(build_images)
        "$cluster" status local > /dev/null 2>&1 || { say 'starting a cluster'; run_cluster up > /dev/null; }
        say 'loading the images into its nodes'
        # shellcheck disable=SC2086
        "$cluster" load local $archives > /dev/null
        KUBECONFIG=$(local_kubeconfig)
        export KUBECONFIG DEMO_REMOVE='e2e/run cluster down'
    fi
    say 'installing the chart'
    # The images keep their name from build to build: another build must still restart operator and history.
    local build
    build=$(sha256sum <<< "${archives:-}" | cut -c1-12)
    "$root/e2e/demo/install" --set-string "operator.podAnnotations.build=$build" \
        --set-string "history.podAnnotations.build=$build"
    command -v kubectl > /dev/null || export DEMO_PATH=$bin
    # In a process group of its own, so that an interrupted demo can end all of it.
    PATH=$bin:$PATH setsid --wait "$root/e2e/demo/show" < /dev/null &
    running=$!
    wait $running || status=$?
    running=''
    return $status
}

local_kubeconfig() { echo "${QUIVER_CLUSTERS:-/var/lib/quiver/runs}/local/kubeconfig"; }
