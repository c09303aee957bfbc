/* Room below the limit and the agent's end to the largest tree, against a folder that looks like a cgroup. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "memory.h"
#include "pressure.h"

static char folder[] = "/tmp/quiver-cgroup-XXXXXX";

static void put(const char *file, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void counts_what_is_not_given_back(void) {
    unsigned percent = 0;
    put("memory.max", "1000000\n");
    put("memory.current", "970000\n");
    put("memory.stat", "anon 500000\ninactive_file 200000\nactive_file 100000\nslab_reclaimable 70000\n");
    CHECK(memory_pressure(folder, &percent) && percent == 60);
    put("memory.stat", "anon 970000\ninactive_file 0\n");
    CHECK(memory_pressure(folder, &percent) && percent == 97);
    put("memory.max", "max\n");
    CHECK(!memory_pressure(folder, &percent));
    put("memory.max", "1000000\n");
}

/* A task that reads large files fills the page cache up to the limit: that is no lack of memory. */
static void has_room_where_page_cache_fills_the_limit(void) {
    uint64_t room = 0;
    put("memory.max", "1000000\n");
    put("memory.current", "999000\n");
    put("memory.stat", "anon 500000\nfile 499000\nshmem 100000\ninactive_file 300000\nactive_file 99000\n");
    CHECK(memory_room(folder, &room) && room == 400000);
    put("memory.stat", "anon 999000\n");
    CHECK(memory_room(folder, &room) && room == 1000);
    put("memory.current", "1000001\n");
    CHECK(memory_room(folder, &room) && room == 0);
    put("memory.max", "max\n");
    CHECK(!memory_room(folder, &room));
    put("memory.limit_in_bytes", "2000000\n"); /* version 1: the same, of the group and all below it */
    put("memory.usage_in_bytes", "1999000\n");
    put("memory.stat", "inactive_file 1\ntotal_cache 1900000\ntotal_inactive_file 900000\ntotal_active_file 99000\n");
    CHECK(memory_room(folder, &room) && room == 1000000);
    put("memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(!memory_room(folder, &room));
    put("memory.max", "1000000\n");
}

/* A runner with one process below it that holds so many MiB; both wait to be killed. Returns the runner. */
static pid_t runner(unsigned mebibytes) {
    int ready[2];
    char byte;
    CHECK(pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        pid_t task = fork();
        if (task == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            void *memory = mmap(NULL, (size_t)mebibytes << 20, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
            ssize_t said = memory == MAP_FAILED ? 0 : write(ready[1], "x", 1);
            for (;;) {
                pause();
                (void)said;
            }
        }
        int status;
        waitpid(task, &status, 0);
        _exit(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void ends_the_largest_tree_and_only_that(void) {
    struct shared *shared = calloc(1, sizeof *shared);
    struct pressure pressure;
    pid_t runners[] = {runner(8), 0, runner(48)};
    int status;
    put("memory.oom.group", "0\n");
    pressure_open(&pressure, folder);
    CHECK(pressure_look(&pressure, runners, 3, shared) == -1); /* the kernel ends one process, and we none */
    CHECK(pressure_patience(&pressure, 200) == 200);
    put("memory.oom.group", "1\n");
    pressure_open(&pressure, folder);
    put("memory.current", "940000\n");
    put("memory.stat", "anon 940000\n");
    CHECK(pressure_look(&pressure, runners, 3, shared) == -1);
    CHECK(pressure_patience(&pressure, 200) <= 21);
    put("memory.current", "950000\n");
    pressure.look_at = 0;
    uint64_t before = qv_now();
    CHECK(pressure_look(&pressure, runners, 3, shared) == 2);
    CHECK(waitpid(runners[2], &status, 0) == runners[2] && WEXITSTATUS(status) == SIGKILL);
    CHECK(shared->sacrificed[2] && !shared->sacrificed[0]);
    pressure.look_at = 0;
    CHECK(pressure.spare_until >= before + UINT64_C(1000000000)); /* it has a second to show */
    pressure.spare_until = UINT64_MAX; /* which a slow machine may have used up by now */
    CHECK(pressure_look(&pressure, runners, 3, shared) == -1);
    CHECK(waitpid(runners[0], &status, WNOHANG) == 0);
    kill(runners[0], SIGKILL);
    waitpid(runners[0], &status, 0);
    free(shared);
}

/* The agent sleeps between two looks, also where a look finds no limit or cannot read it; a limit may come later. */
static void sleeps_where_there_is_no_limit(void) {
    struct pressure pressure;
    pid_t none = 0;
    put("memory.oom.group", "1\n");
    put("memory.max", "max\n");
    pressure_open(&pressure, folder);
    uint64_t before = qv_now();
    CHECK(pressure_look(&pressure, &none, 1, NULL) == -1);
    CHECK(pressure.look_at >= before + UINT64_C(200000000));
    put("memory.max", "");
    pressure.look_at = 0;
    before = qv_now();
    CHECK(pressure_look(&pressure, &none, 1, NULL) == -1);
    CHECK(pressure.look_at >= before + UINT64_C(200000000));
    put("memory.max", "1000000\n");
    put("memory.current", "900000\n");
    put("memory.stat", "anon 900000\n");
    pressure.look_at = 0;
    CHECK(pressure_look(&pressure, &none, 1, NULL) == -1);
    CHECK(pressure_patience(&pressure, 200) <= 21);
}

static void tells_the_runner_why(void) {
    struct shared *shared = calloc(1, sizeof *shared);
    struct runner runner = {.slot = 1, .shared = shared};
    atomic_store(&shared->sacrificed[1], true);
    CHECK(runner_out_of_memory(&runner) && strstr(runner_memory_words(&runner), "95 %") != NULL);
    CHECK(strlen(runner_memory_words(&runner)) <= QV_MESSAGE_BYTES);
    CHECK(!atomic_load(&shared->sacrificed[1]));
    free(shared);
}

void test_memory(void) {
    CHECK(mkdtemp(folder) != NULL);
    counts_what_is_not_given_back();
    has_room_where_page_cache_fills_the_limit();
    ends_the_largest_tree_and_only_that();
    sleeps_where_there_is_no_limit();
    tells_the_runner_why();
    static const char *const files[] = {"memory.max",       "memory.current",        "memory.stat",
                                        "memory.oom.group", "memory.limit_in_bytes", "memory.usage_in_bytes"};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    CHECK(rmdir(folder) == 0);
}
