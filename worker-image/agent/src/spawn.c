#define _GNU_SOURCE
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usual_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* The name by which a command is the agent itself: its programs run in every image, wherever the agent lies there. */
static const char own_name[] = "quiver-agent";

enum step { STEP_SETUP, STEP_DIRECTORY, STEP_EXEC };

/* The child borrows the parent's memory until it executes: what it writes here, the parent reads. */
struct report {
    volatile int error;
    volatile enum step step;
    volatile bool exists; /* the program is there, and yet execve said ENOENT: its interpreter is not */
    char candidate[PATH_MAX];
};

/* Whether to look on in PATH after this error. */
static bool look_on(struct report *report, int *seen) {
    if (errno == ENOENT && access(report->candidate, F_OK) == 0) {
        report->exists = true;
        return false;
    }
    if (errno == EACCES) {
        *seen = EACCES; /* found something that may not be executed; a later folder may have better */
        return true;
    }
    return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP;
}

static void exec_in_path(const struct spawn *what, struct report *report) {
    const char *program = what->argv[0], *from = what->path != NULL ? what->path : usual_path;
    size_t length = strlen(program);
    int seen = ENOENT;
    for (;;) {
        const char *colon = strchrnul(from, ':');
        size_t folder = (size_t)(colon - from);
        if (length > 0 && folder + length + 2 <= sizeof report->candidate) {
            memcpy(report->candidate, from, folder);
            report->candidate[folder] = '/';
            memcpy(report->candidate + folder + (folder > 0), program, length + 1);
            execve(report->candidate, what->argv, what->envp);
            if (!look_on(report, &seen)) {
                return;
            }
        }
        if (*colon == 0) {
            errno = seen;
            return;
        }
        from = colon + 1;
    }
}

static void child(const struct spawn *what, struct report *report) {
    sigset_t none;
    sigemptyset(&none);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(what->in, 0) < 0 || dup2(what->out, 1) < 0 || dup2(what->err, 2) < 0) {
        report->error = errno;
        return;
    }
    for (unsigned i = 0; i < what->keeps; i++) {
        if (fcntl(what->keep[i], F_SETFD, 0) < 0) {
            report->error = errno;
            return;
        }
    }
    report->step = STEP_DIRECTORY;
    if (what->directory != NULL && chdir(what->directory) < 0) {
        report->error = errno;
        return;
    }
    report->step = STEP_EXEC;
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (strcmp(what->argv[0], own_name) == 0) {
        execve("/proc/self/exe", what->argv, what->envp);
    } else if (strchr(what->argv[0], '/') != NULL) {
        execve(what->argv[0], what->argv, what->envp);
        int error = errno;
        report->exists = error == ENOENT && access(what->argv[0], F_OK) == 0;
        errno = error;
    } else {
        exec_in_path(what, report);
    }
    report->error = errno;
}

static enum qv_reason explain(const struct spawn *what, const struct report *report, struct qv_error *error) {
    const char *words = strerror(report->error), *program = what->argv[0];
    if (report->step == STEP_DIRECTORY) {
        qv_fail(error, "working directory %s: %s", what->directory, words);
        return QV_BAD_WORKING_DIRECTORY;
    }
    if (report->step == STEP_SETUP) {
        qv_fail(error, "%s: its streams could not be set up: %s", program, words);
        return QV_START_FAILED;
    }
    switch (report->error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
        if (report->exists) {
            qv_fail(error, "%s: is there, but the interpreter that it names is not", program);
        } else {
            qv_fail(error, "%s: not found%s", program, strchr(program, '/') == NULL ? " in PATH" : "");
        }
        return QV_COMMAND_NOT_FOUND;
    case EACCES:
    case EPERM:
        qv_fail(error, "%s: may not be executed: %s", program, words);
        return QV_PERMISSION_DENIED;
    case E2BIG:
        qv_fail(error, "%s: its arguments and environment are larger than the kernel takes", program);
        return QV_ARGUMENTS_TOO_LONG;
    case ENOEXEC:
    case ELIBBAD:
        qv_fail(error, "%s: not in a format that can be executed (a script needs a #! line)", program);
        return QV_NOT_EXECUTABLE;
    default:
        qv_fail(error, "%s: %s", program, words);
        return QV_START_FAILED;
    }
}

pid_t spawn(const struct spawn *what, enum qv_reason *reason, struct qv_error *error) {
    static struct report report; /* not on the stack that the child runs on */
    report.error = 0;
    report.step = STEP_SETUP;
    report.exists = false;
    report.candidate[0] = 0;
    pid_t pid = vfork();
    if (pid == 0) {
        child(what, &report);
        _exit(127);
    }
    if (pid < 0) {
        *reason = QV_START_FAILED;
        return qv_fail(error, "no process could be made: %s", strerror(errno));
    }
    if (report.error != 0) {
        *reason = explain(what, &report, error);
        waitpid(pid, NULL, 0);
        return -1;
    }
    return pid;
}
