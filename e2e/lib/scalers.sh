# shellcheck shell=bash
# Autoscalers of others at pools of ours. To be sourced behind demo.sh; expects say, root; sets running.

# run_scalers: in a cluster of its own, which goes with this shell, however it ends. Two of them never meet.
run_scalers() {
    local programs archives status=0 cluster=$root/e2e/cluster/cluster name=scalers-$$
    cluster_machine
    programs=$("$root/e2e/scalers/build")
    HELM=$("$root/e2e/cluster/build")/helm
    KUBECTL=${HELM%helm}kubectl
    export HELM KUBECTL
    archives=$(build_images | grep -E '/(operator|worker|redis|busybox)-[^/]*$')
    say 'starting a cluster'
    KUBECONFIG=$("$cluster" up "$name" --grace 120 --owner $$)
    export KUBECONFIG
    say 'loading the images into its nodes'
    # shellcheck disable=SC2086
    "$cluster" load "$name" $archives > /dev/null
    say 'installing the chart'
    "$root/e2e/demo/install"
    # In a process group of its own, so that an interruption can end all of it.
    setsid --wait "$root/e2e/scalers/measure" "$name" "$programs" keda hpa < /dev/null &
    running=$!
    wait $running || status=$?
    running=''
    [ $status = 0 ] || keep_logs "$name"
    "$cluster" down "$name"
    return $status
}

keep_logs() { # NAME
    local kept
    kept=$(mktemp -d /tmp/quiver-scalers.XXXXXX)
    "$root/e2e/cluster/cluster" logs "$1" "$kept" || true
    say "the logs of every part are kept in $kept"
}
