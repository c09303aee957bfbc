/* quiver-agent install DIR | run | version */
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "execute.h"

#ifndef QUIVER_VERSION
#define QUIVER_VERSION "unknown"
#endif

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "install") == 0) {
        return agent_install(argv[2]);
    }
    if (argc == 2 && strcmp(argv[1], "run") == 0) {
        return agent_run(command_executor);
    }
    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        printf("quiver-agent %s, slots %d.%d\n", QUIVER_VERSION, QV_MAJOR, QV_MINOR);
        return 0;
    }
    fprintf(stderr, "usage: quiver-agent install DIR   copies itself to DIR/quiver-agent\n"
                    "       quiver-agent run           serves the slots in $QUIVER_IN and $QUIVER_OUT\n"
                    "       quiver-agent version\n");
    return EXIT_USAGE;
}
