/*
 * Not part of the worker image: an agent whose runners finish every task at once, so that a benchmark measures the
 * dispatch and not processes. The same agent, the same slots, another executor.
 */
#include "agent.h"

static enum qv_stage finish_at_once(struct runner *runner, void *state) {
    (void)state;
    struct qv_exec_slot *exec = runner_exec(runner);
    exec->started = exec->ended = qv_now();
    exec->exit = 0;
    qv_store(runner->region, runner->slot,
             qv_word(qv_generation(qv_supervisor_word(runner->region, runner->slot)), QV_RUNNING));
    return QV_COMPLETE;
}

static int nothing_to_clean(struct runner *runner, void *state, struct qv_error *error) {
    (void)runner, (void)state, (void)error;
    return 0;
}

static struct executor noop_executor(struct runner *runner) {
    (void)runner;
    return (struct executor){.execute = finish_at_once, .clean = nothing_to_clean};
}

int main(void) { return agent_run(noop_executor, NULL); }
