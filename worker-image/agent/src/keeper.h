/*
 * Keeps one handler process alive for a slot: starts it, hands it the turn, hears it, ends it when it must, starts it
 * again. Who has the turn writes U and waits on S; the runner has it until GO and again from COMMAND, REPLACE or the
 * process's death. keeper_fds, keeper_pump, keeper_clean and keeper_process take NULL for "this worker has no handler".
 */
#ifndef QUIVER_KEEPER_H
#define QUIVER_KEEPER_H

#include <poll.h>

#include "runner.h"
#include "tree.h"

struct keeper;

enum { KEEPER_FDS = 3 };

/* A keeper of processes started from these words. Ends the process when there is no memory. */
struct keeper *keeper_make(struct runner *runner, char *const *command);

/* Fills KEEPER_FDS entries for ppoll; those not in use have a descriptor of -1. */
void keeper_fds(const struct keeper *keeper, struct pollfd *fds);

/* Takes in, without waiting, what the process printed and said while the runner has the turn. */
void keeper_pump(struct keeper *keeper);

/* The slot is being cleaned: removes all that was kept of a task's streams. */
void keeper_clean(struct keeper *keeper);

/* Who is to be left alone when a command's tree is reaped and killed. */
struct spared *keeper_process(struct keeper *keeper);

/*
 * The runner has the turn and nothing to do for the words (s, U): waits for S to change, at most a sweep; starts the
 * process when it is due. When it is there and has said hello it gets the turn, and this returns once it is back.
 */
void keeper_wait(struct keeper *keeper, uint64_t s);

/* QV_REASON_NONE, or why the pending task of this generation is not to wait for a handler any longer; words in place. */
enum qv_reason keeper_refuses(struct keeper *keeper, uint64_t generation);

#endif
