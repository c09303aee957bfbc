/* The sandbox process of a pod: holds its namespaces, reaps what is reparented to it, leaves when told. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int number) { _exit(number == SIGTERM || number == SIGINT ? 0 : 1); }

static void reap(int number) {
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

int main(void) {
    signal(SIGTERM, leave);
    signal(SIGINT, leave);
    signal(SIGCHLD, reap);
    for (;;) {
        pause();
    }
}
