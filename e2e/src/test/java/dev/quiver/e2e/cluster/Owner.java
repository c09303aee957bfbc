package dev.quiver.e2e.cluster;

import java.util.concurrent.CountDownLatch;

/** A JVM that starts a local cluster, prints its folder and waits to be killed. */
final class Owner {

    private Owner() {}

    /** Takes the purpose of the cluster. */
    public static void main(String[] args) throws InterruptedException {
        System.out.println(LocalCluster.start(args[0], LocalCluster.LONG_GRACE).folder());
        new CountDownLatch(1).await();
    }
}
