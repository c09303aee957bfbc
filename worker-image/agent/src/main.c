/* quiver-agent install DIR | run [-- HANDLER...] | slots | split UNIT SIZE PATH | remove-scratch | version */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "execute.h"
#include "scratch.h"
#include "split.h"

#ifndef QUIVER_VERSION
#define QUIVER_VERSION "unknown"
#endif

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "install") == 0) {
        return agent_install(argv[2]);
    }
    if (argc == 2 && strcmp(argv[1], "run") == 0) {
        return agent_run(command_executor, NULL);
    }
    if (argc > 3 && strcmp(argv[1], "run") == 0 && strcmp(argv[2], "--") == 0) {
        return agent_run(command_executor, argv + 3);
    }
    if (argc == 2 && strcmp(argv[1], "slots") == 0) {
        return agent_inspect();
    }
    if (argc == 5 && strcmp(argv[1], "split") == 0) {
        return split_files(argv[2], argv[3], argv[4], getenv("QUIVER_OUTPUT"));
    }
    if (argc == 2 && strcmp(argv[1], "remove-scratch") == 0) {
        return scratch_remove(getenv("QUIVER_SCRATCH"));
    }
    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        printf("quiver-agent %s, slots %d.%d\n", QUIVER_VERSION, QV_MAJOR, QV_MINOR);
        return 0;
    }
    fprintf(stderr, "usage: quiver-agent install DIR   copies itself and libquiver.so to DIR\n"
                    "       quiver-agent run           serves the slots in $QUIVER_IN and $QUIVER_OUT\n"
                    "       quiver-agent run -- WORDS  also keeps a handler alive in each slot, started from WORDS\n"
                    "       quiver-agent slots         says what the slots of this worker are doing\n"
                    "       quiver-agent split UNIT SIZE PATH  cuts files into chunks of a job, a line of $QUIVER_OUTPUT each\n"
                    "       quiver-agent remove-scratch  removes the directory $QUIVER_SCRATCH of a job that is over\n"
                    "       quiver-agent version\n");
    return EXIT_USAGE;
}
