# shellcheck shell=bash
# The whole test suite and its count over all modules and levels. To be sourced; expects say, root.

# The modules with code: each owes us tests of the levels that it has sources for.
modules() {
    local pom
    git -C "$root" ls-files -co --exclude-standard '*pom.xml' | while read -r pom; do
        pom=$root/$(dirname "$pom")
        [ ! -d "$pom/src" ] || echo "$pom"
    done
}

# read_reports FILES...: a line for each suite, `suite TESTS FAILURES ERRORS SKIPPED SECONDS CLASS MODULE`, and for each
# test that was not passed, `skipped|failed CLASS.NAME: REASON`. Reads the XML that Surefire and Failsafe write.
read_reports() {
    awk -v RS='<' -v root="$root/" '
        function module(   path) {
            path = FILENAME
            sub(/\/target\/[^\/]*\/[^\/]*$/, "", path)
            return substr(path, length(root) + 1)
        }
        function value(name,   part) {
            if (!match($0, "[ \n]" name "=\"[^\"]*\"")) return ""
            part = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
            gsub(/&#10;|&#xa;|&#13;|&#9;/, " ", part); gsub(/&lt;/, "<", part); gsub(/&gt;/, ">", part)
            gsub(/&quot;/, "\"", part); gsub(/&apos;/, "\047", part); gsub(/&amp;/, "\\&", part)
            return part
        }
        function tell(outcome,   why) { # the reason is an attribute, or the first line of the text that follows
            why = value("message")
            pending = why == "" && $0 !~ /\/>/ ? outcome : ""
            if (pending == "") print outcome, test ": " substr(why, 1, 300)
        }
        pending != "" {
            why = $0
            sub(/^!\[CDATA\[/, "", why); sub(/\n.*/, "", why); sub(/^[a-zA-Z0-9_.$]*(Exception|Error): /, "", why)
            print pending, test ": " substr(why, 1, 300)
            pending = ""
        }
        /^testsuite[ \n]/ { print "suite", value("tests"), value("failures"), value("errors"), value("skipped"), value("time") + 0, value("name"), module() }
        /^testcase[ \n]/ { test = value("classname") "." value("name"); sub(/^.*\.e2e\./, "e2e.", test) }
        /^skipped/ { tell("skipped") }
        /^(failure|error)[ >\n]/ { tell("failed") }
    ' "$@"
}

# Says which levels of a module have sources and no report: code whose tests have not run.
missing_levels() { # MODULE
    local name=${1#"$root"/}
    [ -d "$1/src/test" ] || [ -d "$1/tests" ] || echo "$name has no tests"
    if [ -n "$(find "$1/tests" -name 'test_*.py' 2> /dev/null | head -n 1)" ] && [ ! -e "$1/target/failsafe-reports/TEST-pytest.xml" ]; then
        echo "$name: its pytest has not run"
    fi
    if [ -n "$(find "$1/src/test" -name '*Test.java' 2> /dev/null | head -n 1)" ] && ! compgen -G "$1/target/surefire-reports/TEST-*.xml" > /dev/null; then
        echo "$name: its *Test have not run"
    fi
    if [ -n "$(find "$1/src/test" -name '*IT.java' -o -name '*E2E.java' 2> /dev/null | head -n 1)" ] && ! compgen -G "$1/target/failsafe-reports/TEST-*.xml" > /dev/null; then
        echo "$name: its *IT and *E2E have not run"
    fi
}

# Where the time went, by the classes' own account. Classes of a module and modules may run side by side, so the sums
# exceed the time on the clock, which Maven prints for each module.
times() { # LINES_OF_READ_REPORTS
    awk '$1 == "suite" {n[$8] += $2; s[$8] += $6} END {for (m in n) printf "%d %d %s\n", s[m], n[m], m}' <<< "$1" |
        sort -rn | awk '{printf "TIME    %5d s in %d tests of %s\n", $1, $2, $3}'
    awk '$1 == "suite" {print $6, $7}' <<< "$1" | sort -rn | sed -n 1,10p | awk '{printf "SLOWEST %5d s %s\n", $1, $2}'
}

# not_excused LINES_OF_READ_REPORTS: the skips that are failures. One is excused that names as `missing: ` what a machine or a
# provider of a cluster cannot give, such as root or a node to lose. What can be installed or built was so before the tests.
not_excused() {
    sed -n 's/^skipped //p' <<< "$1" | awk '!/: missing: / || /apt-get install/'
}

# Ends with one line, `N passed, N failed, N skipped`; 0 when nothing failed and nothing is missing. A module whose
# tests have not run counts as one failed: a count must not look better because a build broke.
summary() { # MAVEN_STATUS
    local module reports=() found missing='' passed failed skipped line lacking
    while read -r module; do
        line=$(missing_levels "$module")
        [ -z "$line" ] || missing+="$line"$'\n'
        for line in "$module"/target/{surefire,failsafe}-reports/TEST-*.xml; do
            [ ! -f "$line" ] || reports+=("$line")
        done
    done < <(modules)
    found=$([ ${#reports[@]} -eq 0 ] || read_reports "${reports[@]}")
    failed=$(awk '$1 == "suite" {n += $3 + $4} END {print n + 0}' <<< "$found")
    skipped=$(awk '$1 == "suite" {n += $5} END {print n + 0}' <<< "$found")
    passed=$(awk '$1 == "suite" {n += $2 - $3 - $4 - $5} END {print n + 0}' <<< "$found")
    lacking=$(not_excused "$found")
    if [ -n "$lacking" ]; then
        skipped=$((skipped - $(wc -l <<< "$lacking")))
        missing+=$(sed 's/$/ (skipped, and e2e\/run installs or builds what tests need)/' <<< "$lacking")$'\n'
    fi
    failed=$((failed + $(printf %s "$missing" | wc -l)))
    if [ "$1" != 0 ] && [ "$failed" = 0 ]; then
        missing+="the build broke outside the tests; its words are above"$'\n'
        failed=1
    fi
    echo
    times "$found"
    sed -n 's/^skipped /SKIPPED /p; s/^failed /FAILED  /p' <<< "$found"
    [ -z "$missing" ] || printf %s "$missing" | sed 's/^/FAILED  /'
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

# Everything is packaged before anything is tested, so that the images are built beside the tests of the modules: the
# scenarios, which come last, find them ready. What fails here fails again where it is needed, and is told there.
build_and_verify() {
    local cluster images status=0
    "$root/e2e/cluster/build" > /dev/null & cluster=$!
    mvn -B -ntp -q -T 2 -f "$root/pom.xml" package -DskipTests -DskipITs -Dcheckstyle.skip -Dspotless.check.skip || true
    make -s -C "$root/worker-image/agent" > /dev/null || true
    wait $cluster || return
    { "$root/e2e/images/build" all && QUIVER_IMAGE_BUILDER=buildah "$root/e2e/images/build" k3s; } > /dev/null & images=$!
    # Modules that do not need each other run side by side, since their tests wait more than they work. A failed test does
    # not keep the modules behind it from being tested: summary counts it. pytest says 1 of a failed test, and 2 where a file
    # of tests cannot be read.
    mvn -B -ntp -T 3 --fail-at-end -f "$root/pom.xml" -Dmaven.test.failure.ignore=true -Dpytest.failure.code=1 \
        -Dpytest.unreadable.code=2 verify || status=$?
    wait $images || true
    return $status
}

run_tests() {
    local module status=0
    test_machine
    while read -r module; do # a report of an earlier run must not be counted
        rm -rf "$module/target/surefire-reports" "$module/target/failsafe-reports"
    done < <(modules)
    # In a process group of its own, so that an interrupted run can end all of it.
    export root
    export -f build_and_verify
    setsid --wait bash -euo pipefail -c build_and_verify < /dev/null &
    running=$!
    wait $running || status=$?
    running=''
    summary $status
}
