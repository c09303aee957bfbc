package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

class ResultTest {
    private static final class Counted implements Output {
        private int closed;

        @Override
        public Format format() {
            return Format.BYTES;
        }

        @Override
        public long length() {
            return 0;
        }

        @Override
        public void writeTo(WritableByteChannel channel) {}

        @Override
        public void close() {
            closed++;
        }
    }

    @Test
    void asManyAsTasksAreTakenAsTheyAre() {
        Counted output = new Counted();
        List<Result> results = List.of(Result.of(output), Result.of(null), Result.failed(new IOException()));
        assertThat(Result.checked(results, 3)).isSameAs(results);
        assertThat(output.closed).isZero();
    }

    @Test
    void anyOtherNumberIsRefusedAndWhatThereIsGetsClosed() {
        Counted output = new Counted();
        assertThatThrownBy(() -> Result.checked(List.of(Result.of(output)), 2))
                .hasMessage("the handler returned 1 results for 2 tasks");
        assertThatThrownBy(() -> Result.checked(Arrays.asList(Result.of(output), null), 2))
                .hasMessage("the handler returned 1 results for 2 tasks");
        assertThatThrownBy(() -> Result.checked(null, 2)).hasMessage("the handler returned null for 2 tasks");
        assertThat(output.closed).isEqualTo(2);
    }

    @Test
    void oneTaskAloneIsAListOfOne() throws Exception {
        Counted output = new Counted();
        assertThat(BatchHandler.of((inputs, tasks) -> List.of(Result.of(output)))
                        .handle(one(), null))
                .isSameAs(output);
        IOException failure = new IOException("alone");
        assertThatThrownBy(() -> BatchHandler.of((inputs, tasks) -> List.of(Result.failed(failure)))
                        .handle(one(), null))
                .isSameAs(failure);
    }

    private static Input one() {
        return InputFixture.arrow(java.lang.foreign.MemorySegment.NULL);
    }
}
