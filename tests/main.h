// Put before each test file of a room: all of them are one program (main.c), and the `main` of each is a
// function of it, named by the build. It is written `int main(void)` or `int main(int argc, char **argv)`.
#ifndef WW_TEST_MAIN_H
#define WW_TEST_MAIN_H
#define main(...) WW_TEST_MAIN(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)
#endif
