# shellcheck shell=bash
# Tests at the sizes that users may ask for, and for as long as accidents need to come together in all ways. To be sourced
# behind tests.sh; expects say, root.

soak_usage() {
    cat >&2 <<'END'
e2e/run soak [--leaves N] [--children N] [--chunks N] [--trees N] [--cuts N] [--copies N] [--lives N]
              [--ranks N] [--seconds N] [--examples N] [--oldest MINOR] [--chaos MINUTES]
  --leaves    leaves of one tree at which workers die at random (100000)
  --children  children of one iterator (1000000)
  --chunks    chunks of one map-reduce (100000)
  --trees     trees of npm's idoit, by programs of both sides that are killed (500)
  --cuts      random trees of which each call is lost once (20)
  --copies    copies of tasks that hang, while the processes of their pods are killed, stopped and drained (2000)
  --seconds   of random trees in any order of claims, lost calls and deaths (600)
  --examples  questions by chance to each operation of history's API (1000)
  --lives     copies in random lives of pods, each count after each call (100000)
  --ranks     claims of tasks with ranks in random lives, each the first of one sorted list (1000000)
  --oldest    minor of the Kubernetes whose API server is built and asked: chart, examples, refusals, operator (30)
  --chaos     minutes for which a cluster's parts are killed under work of all kinds, seed after seed (60)
  A size of 0 leaves the part out.
END
    exit 2
}

# Of each part: option, usual size, module, test class, property with the size, words on it. An option may have several.
SOAK_PARTS='leaves 100000 operator/lifecycle DeepTreeIT quiver.leaves leaves of one tree at which workers die
children 1000000 operator/lifecycle IteratorMemoryIT quiver.children children of one iterator
chunks 100000 operator/lifecycle ManyChunksIT quiver.chunks chunks of one map-reduce
cuts 20 operator/lifecycle RandomCutCallsIT quiver.cut.trees random trees of which each call is lost once
trees 500 worker-image/supervisor RandomIdoitTreesProcessIT quiver.idoit.trees mixed trees while both sides are killed
copies 2000 worker-image/supervisor SpeculationProcessIT quiver.speculated copies of tasks whose holders are killed
seconds 600 operator/lifecycle RandomTreesIT quiver.random.seconds seconds of trees in any order of claims and losses
examples 1000 operator/history ApiFuzzIT quiver.examples questions to each operation of history
lives 100000 operator/lifecycle RandomCopiesIT quiver.copies copies in random lives of pods, each count after each call
ranks 1000000 operator/lifecycle RandomRanksIT quiver.ranks claims of tasks with ranks in random lives
oldest 30 e2e ServerDryRunIT quiver.kubernetes.minor as minor of Kubernetes: chart and examples
oldest 30 e2e ChartAdmissionIT quiver.kubernetes.minor as minor of Kubernetes: policy of admission
oldest 30 crds BadSpecsIT quiver.kubernetes.minor as minor of Kubernetes: refusals of wrong resources
oldest 30 crds UpdatesIT quiver.kubernetes.minor as minor of Kubernetes: refusals of changes
oldest 30 operator/controller OperatorIT quiver.kubernetes.minor as minor of Kubernetes: runs from apply to deletion
oldest 30 operator/controller PoolIT quiver.kubernetes.minor as minor of Kubernetes: pods of a pool
chaos 60 e2e ChaosE2E quiver.chaos.minutes minutes of accidents on a cluster'

# soak_plan OPTIONS…: the parts that are asked for, with their sizes.
soak_plan() {
    local plan=$SOAK_PARTS name
    while [ $# -gt 0 ]; do
        name=${1#--}
        grep -q "^$name " <<< "$SOAK_PARTS" && [ "$1" = "--$name" ] || { echo "soak: there is no option $1" >&2; return 2; }
        [[ "${2:-}" =~ ^[0-9]{1,9}$ ]] || { echo "soak: $1 needs a whole number, not \"${2:-}\"" >&2; return 2; }
        plan=$(sed -E "s/^($name) [0-9]+ /\1 $((10#$2)) /" <<< "$plan")
        shift 2
    done
    awk '$2 != 0' <<< "$plan"
}

# soak_report PLAN: a line for each part and a last one with the sums; 0 when all passed. A test that was skipped, or
# did not run, has proved nothing: it counts as failed.
soak_report() {
    local plan=$1 line name size module class words report suite all passed=0 failed=0 tests failures seconds
    while read -r name size module class _ words; do
        suite=''
        for report in "$root/$module/target/failsafe-reports"/TEST-*."$class".xml; do
            [ ! -f "$report" ] || { all=$(read_reports "$report"); suite=$(grep '^suite' <<< "$all"); }
        done
        if [ -z "$suite" ]; then
            echo "SOAK    $size $words: did not run"
            failed=$((failed + 1))
            continue
        fi
        read -r tests failures seconds < <(awk '{print $2, $3 + $4 + $5, int($6)}' <<< "$suite")
        echo "SOAK    $size $words: $((tests - failures)) of $tests tests passed in $seconds s"
        sed -n 's/^skipped /SKIPPED /p; s/^failed /FAILED  /p' <<< "$all"
        passed=$((passed + tests - failures)) failed=$((failed + failures))
    done <<< "$plan"
    echo "soak of $(date -u +%F): $passed passed, $failed failed"
    [ "$failed" = 0 ]
}

# soak_verify PLAN: builds, and runs the tests of the plan. What fails is told by their reports.
soak_verify() {
    local classes modules sizes
    classes=$(awk '{print $4}' <<< "$1" | paste -sd,)
    modules=$(awk '{print $3}' <<< "$1" | sort -u | paste -sd,)
    sizes=$(awk '{print "-D" $5 "=" $2}' <<< "$1")
    make -s -C "$root/worker-image/agent" > /dev/null
    if grep -q '^chaos ' <<< "$1"; then
        "$root/e2e/cluster/build" > /dev/null
        mvn -B -ntp -q -f "$root/pom.xml" package -DskipTests -DskipITs
        "$root/e2e/images/build" all > /dev/null
    fi
    # shellcheck disable=SC2086 # a size each
    mvn -B -ntp -f "$root/pom.xml" -pl "$modules" -am verify -Dmaven.test.failure.ignore=true -Dtest=NONE \
        -Dsurefire.failIfNoSpecifiedTests=false "-Dit.test=$classes" -Dfailsafe.failIfNoSpecifiedTests=false \
        -Djunit.jupiter.execution.timeout.mode=disabled $sizes
}

run_soak() {
    local plan module status=0
    plan=$(soak_plan "$@") || soak_usage
    [ -n "$plan" ] || { say 'every size is 0: nothing is left to do'; exit 2; }
    test_machine
    while read -r module; do # a report of an earlier run must not be counted
        rm -rf "$root/$module/target/failsafe-reports"
    done < <(awk '{print $3}' <<< "$plan" | sort -u)
    export root
    export -f soak_verify
    setsid --wait bash -euo pipefail -c 'soak_verify "$1"' soak "$plan" < /dev/null &
    running=$!
    wait $running || status=$?
    running=''
    echo
    soak_report "$plan" && [ "$status" = 0 ]
}
