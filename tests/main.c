// The test program of a room: all its test files in one program.
// usage: ROOM_tests                    every file, one after the other, in one process
//        ROOM_tests FILE [arguments]   one file by name, as ctest asks for it (ROOM.FILE)
#include <stdio.h>
#include <string.h>

#define TEST_FILE(name) int main_of_##name(int argc, char **argv);
#include "test_files.def" // written by the build: a row a file
#undef TEST_FILE

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} files[] = {
#define TEST_FILE(name) {#name, main_of_##name},
#include "test_files.def"
#undef TEST_FILE
};
enum { N_FILES = sizeof files / sizeof *files };

int main(int argc, char **argv) {
    if (argc > 1) {
        for (int i = 0; i < N_FILES; i++)
            if (strcmp(argv[1], files[i].name) == 0) return files[i].main(argc - 1, argv + 1);
        fprintf(stderr, "%s: no test file `%s`; there are:\n", argv[0], argv[1]);
        for (int i = 0; i < N_FILES; i++) fprintf(stderr, "  %s\n", files[i].name);
        return 2;
    }
    int failed = 0;
    for (int i = 0; i < N_FILES; i++) {
        char *alone[] = {(char *)files[i].name, NULL};
        fprintf(stderr, "== %s\n", files[i].name);
        if (files[i].main(1, alone) != 0) {
            failed++;
            fprintf(stderr, "== %s failed\n", files[i].name);
        }
    }
    return failed != 0;
}
