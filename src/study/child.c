// A run as a child process, for the local pool and for the worker of a cluster alike.
#include "study/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int child_start(char *const *words, const char *log) {
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    setpgid(0, 0); // Ctrl-C is ours to pass on
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (out < 0 || in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
    execv(words[0], words);
    _exit(127);
}

// The last line that says something.
static const char *last_words(struct arena *a, const char *log) {
    struct diags quiet;
    diags_init(&quiet);
    char *text;
    size_t len;
    const char *found = "";
    if (file_read(a, log, 1 << 20, &text, &len, &quiet) == WW_OK)
        for (char *save = NULL, *l = strtok_r(text, "\n", &save); l;
             l = strtok_r(NULL, "\n", &save)) {
            const size_t indent = strspn(l, " \t");
            if (l[indent] && strspn(l + indent, "^~ ") != strlen(l + indent)) found = l + indent;
        }
    diags_free(&quiet);
    return found;
}

const char *child_why(struct arena *a, int status, const char *log, int *code) {
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const char *words = last_words(a, log);
    return *words                ? words
           : WIFSIGNALED(status) ? arena_printf(a, "ended by signal %d", WTERMSIG(status))
                                 : arena_printf(a, "exit code %d", *code);
}
