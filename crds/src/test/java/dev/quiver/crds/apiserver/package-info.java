/**
 * A real API server for tests, published in this module's test-jar so that the operator's tests use the same one.
 *
 * <pre>
 * &#64;ExtendWith(ApiServer.class)
 * class SomethingIT {
 *     &#64;Test
 *     void refusesWhatIsWrong(KubernetesClient client) { … }  // in a new namespace, all definitions installed
 * }
 * </pre>
 */
package dev.quiver.crds.apiserver;
