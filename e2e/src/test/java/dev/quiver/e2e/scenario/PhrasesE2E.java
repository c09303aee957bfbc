package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Burden;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Job;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Unrestricted;

/** The example of phrases in a corpus, checked with one process that does the same. */
@Burden
class PhrasesE2E {

    private static final Path EXAMPLE = Repository.root().resolve("worker-image/sdk/python/examples/phrases");

    @Test
    void findsThePhrasesThatOneProcessFinds(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver)
            throws Exception {
        quiver.load(Images.archives("columns"));
        space.kubectl().run("apply", "-f", EXAMPLE.resolve("job.yaml").toString());
        Job job = space.job("phrases");
        job.awaitFinished();
        MapReduceJobStatus end = job.status();
        assertThat(end.chunks()).as("%s", end).returns(441L, chunks -> chunks.done());
        String alone = space.pool("phrases").exec("python3", "single.py");
        assertThat(end.result()).as("%s", end).isEqualTo(new ObjectMapper().readTree(alone));
        assertThat(space.pool("phrases").exec("ls", "/scratch")).isBlank();
    }
}
