package dev.quiver.e2e.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Repository;

/** Which Go {@code e2e/run} takes, and when it installs Debian's, with stand-ins for Go, apt-cache and the installing. */
class FindGoIT {

    private static final String NO_GO = "";

    @TempDir
    private Path folder;

    @Test
    void installsDebiansGoWhereItIsNewEnough() throws Exception {
        List<String> lines = find(NO_GO, "2:1.24~2", "1.24.4", "local", "");
        assertThat(lines).containsExactly("installs golang-go", "takes 1.24.4, GOTOOLCHAIN=auto");
    }

    @Test
    void namesGoWhereDebiansIsTooOld() throws Exception {
        assertThat(find(NO_GO, "2:1.19~1", "1.19.8", "", ""))
                .singleElement()
                .asString()
                .contains("there is no Go 1.26 or newer", "https://go.dev/dl");
        assertThat(find(NO_GO, "(none)", "", "", ""))
                .singleElement()
                .asString()
                .contains("there is no Go 1.26 or newer");
    }

    @Test
    void takesTheGoThatIsThere() throws Exception {
        assertThat(find("1.26.1", "2:1.24~2", "1.24.4", "local", "")).containsExactly("takes 1.26.1, GOTOOLCHAIN=");
        assertThat(find("1.22.0", "2:1.24~2", "1.24.4", "auto", "")).containsExactly("takes 1.22.0, GOTOOLCHAIN=auto");
    }

    @Test
    void fetchesNoGoAgainstTheUsersWord() throws Exception {
        assertThat(find("1.24.0", "2:1.24~2", "1.24.4", "local", "local"))
                .singleElement()
                .asString()
                .contains("there is no Go 1.26 or newer");
    }

    /**
     * The work of find_go as root.
     *
     * @param present the version that is on the machine, or none
     * @param candidate of Debian's golang-go
     * @param debian the version that this installs
     * @param toolchain what Go's own settings have for GOTOOLCHAIN
     * @param wanted what the user's environment has for it
     */
    private List<String> find(String present, String candidate, String debian, String toolchain, String wanted)
            throws IOException, InterruptedException {
        Path bin = Files.createTempDirectory(folder, "bin");
        Path go = Files.createTempDirectory(folder, "go");
        program(bin.resolve("apt-cache"), "echo 'golang-go:'; echo '  Candidate: %s'".formatted(candidate));
        program(bin.resolve("id"), "echo 0");
        String script = """
                say() { echo "$*"; }
                root=$1
                . "$root/e2e/lib/machine.sh"
                go_of() {
                    printf '#!/bin/sh\\ncase $2 in GOVERSION) echo go%s ;; GOTOOLCHAIN) echo "${GOTOOLCHAIN:-%s}" ;; *) echo /none ;; esac\\n' "$1" "$3" > "$2/go"
                    chmod +x "$2/go"
                }
                packages() { echo "installs $*"; go_of "$candidate" "$place" "$toolchain"; }
                place=$2 present=$3 candidate=$4 toolchain=$5
                [ -z "$present" ] || go_of "$present" "$place" "$toolchain"
                go_folders() { echo "$place"; }
                find_go
                echo "takes $(go env GOVERSION | sed s/^go//), GOTOOLCHAIN=${GOTOOLCHAIN:-}"
                """;
        ProcessBuilder builder = new ProcessBuilder(
                        "bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        script,
                        "find",
                        Repository.root().toString(),
                        go.toString(),
                        present,
                        debian,
                        toolchain)
                .redirectErrorStream(true);
        builder.environment().put("PATH", bin + ":/usr/bin:/bin");
        builder.environment().put("HOME", folder.toString());
        builder.environment().remove("GOTOOLCHAIN");
        if (!wanted.isEmpty()) {
            builder.environment().put("GOTOOLCHAIN", wanted);
        }
        Process process = builder.start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return lines;
    }

    private static void program(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
