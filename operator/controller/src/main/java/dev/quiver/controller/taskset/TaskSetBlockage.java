package dev.quiver.controller.taskset;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceAlias;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/**
 * The resources that a run waits for. Redis says whether it does, and for which one first. Its pool's status says since when,
 * and what else is missing. Pure.
 */
final class TaskSetBlockage {

    private TaskSetBlockage() {}

    static Blockage of(TaskSetView view) {
        return view.store()
                .snapshot()
                .filter(run -> !run.status().isFinal() && run.queued() > 0)
                .flatMap(run -> run.gate().filter(gate -> !gate.isEmpty()).map(gate -> of(view, run, gate)))
                .orElse(Blockage.NONE);
    }

    private static Blockage of(TaskSetView view, TaskSetSnapshot run, String gate) {
        Optional<WorkerPool> pool = view.workers().serving();
        Set<String> names = new LinkedHashSet<>(List.of(gate));
        List<String> own = view.spec().resources().stream()
                .flatMap(name -> standFor(pool, name).stream())
                .distinct()
                .toList();
        own.stream()
                .skip(Math.max(0, own.indexOf(gate)))
                .filter(name -> isMissing(pool, name) || counted(pool, name))
                .forEach(names::add);
        return new Blockage(
                (int) Math.min(run.queued(), Integer.MAX_VALUE),
                names.stream()
                        .limit(Rank.MOST_RESOURCES)
                        .map(name -> missing(pool, name))
                        .toList());
    }

    /** The names in the place of one, by the aliases of its pool. */
    private static List<String> standFor(Optional<WorkerPool> pool, String name) {
        return pool.stream()
                .flatMap(its -> its.getSpec().resourceAliases().stream())
                .filter(alias -> !alias.standFor(name).isEmpty())
                .max(Comparator.comparing((ResourceAlias alias) -> alias.name().equals(name))
                        .thenComparing(alias -> alias.name().length()))
                .map(alias -> alias.standFor(name))
                .orElse(List.of(name));
    }

    private static Blockage.Missing missing(Optional<WorkerPool> pool, String name) {
        Optional<PoolResourceStatus> row = row(pool, name)
                .filter(its -> its.state() == ResourceState.Missing)
                .findFirst();
        return new Blockage.Missing(
                name,
                row.map(PoolResourceStatus::since).map(Instant::parse),
                Optional.empty(),
                row.map(PoolResourceStatus::by).filter(by -> !by.equals(PoolResourceStatus.UNDECLARED)),
                declared(pool, name),
                Optional.empty(),
                row.isEmpty() && counted(pool, name));
    }

    /** Whether it has permits, which no run of numbered tasks can hold. */
    private static boolean counted(Optional<WorkerPool> pool, String name) {
        return namesOf(name)
                .flatMap(each -> pool.stream()
                        .flatMap(its -> its.getSpec().resources().stream())
                        .filter(its -> each.equals(its.name())))
                .findFirst()
                .map(PoolResource::permits)
                .isPresent();
    }

    private static boolean isMissing(Optional<WorkerPool> pool, String name) {
        return !declared(pool, name) || row(pool, name).anyMatch(its -> its.state() == ResourceState.Missing);
    }

    /** The rows of the pool's status for the name, then those for its pattern. */
    private static Stream<PoolResourceStatus> row(Optional<WorkerPool> pool, String name) {
        List<PoolResourceStatus> rows =
                pool.map(WorkerPool::getStatus).map(WorkerPoolStatus::resources).orElse(List.of());
        return namesOf(name).flatMap(each -> rows.stream().filter(its -> each.equals(its.name())));
    }

    private static boolean declared(Optional<WorkerPool> pool, String name) {
        List<String> declared = pool.stream()
                .flatMap(its -> its.getSpec().resources().stream())
                .map(PoolResource::name)
                .toList();
        return namesOf(name).anyMatch(declared::contains);
    }

    private static Stream<String> namesOf(String name) {
        return Stream.concat(Stream.of(name), Rank.patternOf(name).stream());
    }
}
