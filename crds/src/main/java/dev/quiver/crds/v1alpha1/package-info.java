/**
 * The custom resources of group {@code quiver.dev}, version {@code v1alpha1}, as Java types.
 *
 * <p>{@link dev.quiver.crds.v1alpha1.WorkerPool} keeps warm worker pods. On them {@link
 * dev.quiver.crds.v1alpha1.TaskSet} runs a set of independent tasks, and {@link dev.quiver.crds.v1alpha1.Task} one
 * unit of work or a tree of them, which {@link dev.quiver.crds.v1alpha1.TaskGraph} checks. Specs and statuses are
 * immutable records. A component with a default in the CRD is never null, and an absent list or map is empty. Any
 * other absent value is null in the component and an {@link java.util.Optional} in the method beside it. Records of
 * many components have a generated builder ({@code TaskSetStatusBuilder.builder()…build()}, or from an existing one
 * with {@code builder(status)}).
 *
 * <p>The descriptions, bounds and most CEL rules are annotations on these types. This module's tests make the YAML
 * under {@code META-INF/quiver/} of this jar from them, and show how to make it anew. This package depends on the
 * Fabric8 model alone and runs on Java 17.
 */
package dev.quiver.crds.v1alpha1;
