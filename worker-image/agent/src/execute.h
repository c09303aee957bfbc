/* Executes commands: one process tree for each task, its streams captured, its end explained. */
#ifndef QUIVER_EXECUTE_H
#define QUIVER_EXECUTE_H

#include "runner.h"

/* An executor of commands for this runner's slot; it lives as long as the process. Ends the process if it cannot be. */
struct executor command_executor(struct runner *runner);

#endif
