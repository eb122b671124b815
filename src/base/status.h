// The status every fallible call returns. Exit codes of the command follow from it.
#ifndef WW_STATUS_H
#define WW_STATUS_H

// name, exit code, sentence
#define WW_STATUS_TABLE(X)                                                          \
    X(WW_OK, 0, "done")                                                             \
    X(WW_ERROR_PROGRAM, 1, "the program under test failed")                         \
    X(WW_ERROR_USAGE, 2, "the command or its options are wrong")                    \
    X(WW_ERROR_CONFIG, 2, "the configuration is wrong")                             \
    X(WW_ERROR_SYNTAX, 2, "the input is malformed")                                 \
    X(WW_ERROR_UNSUPPORTED, 3, "the input uses something that is not supported")    \
    X(WW_ERROR_DEADLOCK, 4, "the simulated GPU deadlocked")                         \
    X(WW_ERROR_LIMIT, 4, "the run met a limit")                                     \
    X(WW_ERROR_INTERRUPTED, 4, "the run was interrupted")                           \
    X(WW_ERROR_ACCESS, 1, "the program made a bad memory access")                   \
    X(WW_ERROR_TRAP, 1, "the program trapped")                                      \
    X(WW_ERROR_MEMORY, 2, "the host is out of memory")                              \
    X(WW_ERROR_DEVICE_MEMORY, 1, "the simulated GPU is out of memory")              \
    X(WW_ERROR_IO, 2, "a file could not be read or written")                        \
    X(WW_ERROR_LAUNCH, 1, "the launch is not possible on this GPU")                 \
    X(WW_ERROR_INTERNAL, 4, "warpwatt met a bug of its own")

enum ww_status {
#define X(name, code, text) name,
    WW_STATUS_TABLE(X)
#undef X
        WW_STATUS_N
};

int ww_status_exit_code(enum ww_status s);
const char *ww_status_text(enum ww_status s);

#endif
