package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tree;

/** A mail is sent once, whatever dies behind it or before it. */
@Scenario
class ContingencyE2E {

    private static final String MAILS = """
            import os, time
            import quiver

            OUTBOX = "/tmp/outbox"

            def sent():
                return open(OUTBOX).read().split() if os.path.exists(OUTBOX) else []

            @quiver.handler("send")
            def send(mail, task):
                if mail == "late" and task.trial == 1:
                    time.sleep(600)                     # its pod goes meanwhile
                with open(OUTBOX, "a") as out:
                    out.write(mail + "\\n")
                if mail == "dies":
                    os._exit(3)                         # it is sent, and nobody was told
                return {"by": "function", "sent": sent()}

            @quiver.contingency("send")
            def was_sent(mail):
                return quiver.Done({"by": "contingency", "sent": sent()}) if mail in sent() else quiver.Redo()

            quiver.serve()
            """;

    @Test
    void whatMayHaveBeenDoneIsAskedForBeforeItIsDoneAgain(Space space, Installation quiver) {
        Functions.pool(space, quiver, "mails", MAILS);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: dies}
                spec:
                  workerPoolRef: {name: mails}
                  task: {handler: send, args: [dies], contingency: true}
                """);
        var dead = space.tree("dies").awaitFinished().result();
        assertThat(dead.path("by").asText()).isEqualTo("contingency");
        assertThat(dead.path("sent")).extracting(mail -> mail.asText()).containsExactly("dies");

        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: late}
                spec:
                  workerPoolRef: {name: mails}
                  task: {handler: send, args: [late], contingency: true}
                """);
        Tree late = space.tree("late");
        late.await("running", status -> status.state() == TaskState.LOCKED);
        space.kubectl()
                .run("delete", "pod", "-l", "quiver.dev/pool=mails", "--grace-period=0", "--force", "--wait=false");
        var sent = late.awaitFinished().result();
        assertThat(sent.path("by").asText()).isEqualTo("function");
        assertThat(sent.path("sent")).extracting(mail -> mail.asText()).containsExactly("late");
    }
}
