package dev.quiver.controller.tree;

import java.util.Optional;

import dev.quiver.controller.run.RunRecords;
import dev.quiver.controller.store.RunRecording;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeRecord;

/**
 * Says with a tree what its record is to have. Thread-safe.
 *
 * @param recording whose runs are recorded
 */
record RecordedTrees(RunRecording recording) {

    /** Trees in another layout have no record, and pass over it. */
    TaskTree recorded(TreeView view, TaskTree tree) {
        RunHistory history = view.spec().historyOrDefault();
        Optional<Recording> wanted = RunRecords.recording(history);
        Optional<String> namespaceUid =
                wanted.flatMap(how -> recording.of(view.run().getMetadata().getNamespace()));
        return tree.recorded(namespaceUid.map(uid -> new TreeRecord(
                wanted.get(),
                RunRecords.opening(
                        view.run(),
                        uid,
                        history,
                        view.spec().workerPoolRef().name(),
                        Optional.empty(),
                        0,
                        Optional.empty()))));
    }
}
