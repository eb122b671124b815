// The command of the measuring kit: runs its parts one after another, each in a process of its own
// with a limit of time, and keeps account of what is done, so that a run that was ended can go on.
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

#define PART(name, full, tiny, needs, asks, files, kernels, run, prose)                            \
    {#name, full, tiny, needs, asks, files, prose, kernels, run},
const struct part parts[] = {
#include "measure.def"
};
#undef PART
const unsigned part_count = sizeof parts / sizeof *parts;

// Exit codes of a part's process: what it asks is not there; its time was over; a kernel broke it,
// once more.
enum { EXIT_LEFT_OUT = 3, EXIT_CUT = 4, EXIT_AGAIN = 5 };

const struct part *part_find(const char *name) {
    for (unsigned i = 0; i < part_count; i++) {
        if (strcmp(parts[i].name, name) == 0) return &parts[i];
    }
    return NULL;
}

double kit_left(const struct kit *k) { return k->ends - seconds_now(); }

bool kit_over(struct kit *k, double seconds) {
    if (kit_left(k) >= seconds) return false;
    k->cut = true;
    return true;
}

_Noreturn void kit_lost(struct kit *k, const char *kernel, const char *why) {
    struct sheet s = sheet_more(k, "refused");
    sheet_text(&s, k->part);
    sheet_text(&s, kernel);
    sheet_text(&s, why);
    sheet_end(&s);
    fprintf(stderr, "measure: %s: %s\n", kernel, why);
    fflush(NULL);
    _exit(EXIT_AGAIN);
}

_Noreturn void kit_leave(const char *why) {
    fprintf(stderr, "measure: %s\n", why);
    exit(EXIT_LEFT_OUT);
}

void kit_condition(struct kit *k, const char *part, const char *when) {
    const struct reading r = nvml_read(k->nvml);
    struct sheet s = sheet_more(k, "conditions");
    sheet_text(&s, part);
    sheet_text(&s, when);
    sheet_real(&s, r.core_mhz);
    sheet_real(&s, r.memory_mhz);
    sheet_real(&s, r.watts);
    sheet_real(&s, r.celsius);
    sheet_hex(&s, r.throttle, 1);
    sheet_end(&s);
    sheet_close(&s);
}

struct options {
    const char *out, *home, *only, *pack, *list, *ptxas, *arch;
    double seconds, slow;
    int scale;
    bool dry, again, once, blind;
    const char *words[8];
    int count;
};

static const char usage[] =
    "usage: measure run [-o DIR] [--parts A,B] [--seconds N] [--scale full|tiny] [--pack FILE] "
    "[--again] [--dry-run]\n"
    "       measure check DIR | compare DIR DIR | publish DIR STUDY [--blind] | operands KIND | "
    "files\n"
    "       measure prebuild DIR --ptxas PROGRAM --arch 90,80\n"
    "\n"
    "  -o, --out DIR     folder of results (default measured); parts that are done there are not "
    "run again\n"
    "      --parts A,B   these parts only (--dry-run lists them)\n"
    "      --seconds N   end after so long (default 470)\n"
    "      --slow N      the machine is N times slower than a GPU: limits and --seconds are so "
    "much longer\n"
    "      --scale S     full, or tiny: the self-test's sizes\n"
    "      --only TEXT   in parts of many operations, those whose name contains TEXT\n"
    "      --pack FILE   after each part, all results as one .tar.gz\n"
    "      --again       run parts that are done too\n"
    "      --home DIR    folder of the kit: cubin/, programs/ (default: where this program lies)\n"
    "      --dry-run     say what would run and for how long; needs no GPU\n";

static double number_of(const char *text, const char *option) {
    char *end = NULL;
    const double v = strtod(text, &end);
    if (*end || !(v > 0)) die("%s is `%s`; it must be a number above 0", option, text);
    return v;
}

static struct options parse(int argc, char **argv) {
    struct options o = {
        .out = "measured", .seconds = 470, .slow = 1, .scale = 1, .ptxas = "ptxas", .arch = "90"};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "-h") == 0 || strcmp(a, "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (strcmp(a, "--dry-run") == 0) {
            o.dry = true;
        } else if (strcmp(a, "--again") == 0) {
            o.again = true;
        } else if (strcmp(a, "--blind") == 0) {
            o.blind = true;
        } else if (strcmp(a, "--once") == 0) { // for a profiler: each kernel of part kernels once
            o.once = true;
        } else if (a[0] == '-') {
            if (i + 1 == argc) die("%s needs a value, or there is no such option", a);
            const char *v = argv[++i];
            if (strcmp(a, "-o") == 0 || strcmp(a, "--out") == 0)
                o.out = v;
            else if (strcmp(a, "--parts") == 0)
                o.list = v;
            else if (strcmp(a, "--seconds") == 0)
                o.seconds = number_of(v, a);
            else if (strcmp(a, "--slow") == 0)
                o.slow = number_of(v, a);
            else if (strcmp(a, "--only") == 0)
                o.only = v;
            else if (strcmp(a, "--pack") == 0)
                o.pack = v;
            else if (strcmp(a, "--home") == 0)
                o.home = v;
            else if (strcmp(a, "--ptxas") == 0)
                o.ptxas = v;
            else if (strcmp(a, "--arch") == 0)
                o.arch = v;
            else if (strcmp(a, "--scale") == 0 && strcmp(v, "tiny") == 0)
                o.scale = 0;
            else if (strcmp(a, "--scale") == 0 && strcmp(v, "full") == 0)
                o.scale = 1;
            else
                die("unknown option %s %s; see --help", a, v);
        } else if (o.count < (int)(sizeof o.words / sizeof *o.words)) {
            o.words[o.count++] = a;
        }
    }
    return o;
}

static bool listed(const char *list, const char *name) {
    if (!list) return true;
    const size_t n = strlen(name);
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
        if (strncmp(p, name, n) == 0 && (p[n] == 0 || p[n] == ',')) return true;
    }
    return false;
}

static void check_list(const char *list) {
    for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',') {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, ","), p);
        if (!part_find(name)) die("there is no part `%s`; measure run --dry-run lists them", name);
    }
}

// The status that a part has in parts.csv: its last line counts.
static bool is_done(const char *out, const char *name) {
    struct text path = {0};
    text_add(&path, "%s/parts.csv", out);
    FILE *f = fopen(path.at, "r");
    text_free(&path);
    if (!f) return false;
    bool done = false;
    char *line = NULL;
    size_t room = 0;
    const size_t n = strlen(name);
    while (getline(&line, &room, f) > 0) {
        if (strncmp(line, name, n) == 0 && line[n] == ',')
            done = strncmp(line + n, ",done,", 6) == 0;
    }
    free(line);
    fclose(f);
    return done;
}

// The last line of a log, without its ends.
static void last_line(const char *path, char *to, size_t room) {
    *to = 0;
    FILE *f = fopen(path, "r");
    if (!f) return;
    char line[1024];
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (*line) snprintf(to, room, "%.300s", strncmp(line, "measure: ", 9) ? line : line + 9);
    }
    fclose(f);
}

// Packs what is there. Single results are as large as all the rest: they get a file of their own,
// NAME-results.tar.gz.
static void pack(const struct options *o) {
    const size_t n = strlen(o->pack),
                 end = n > 7 && strcmp(o->pack + n - 7, ".tar.gz") == 0 ? n - 7 : n;
    struct text command = {0};
    text_add(&command,
             "tar -czf '%s.part' -C '%s' --exclude='*-results.csv' --exclude=functions.csv . && mv "
             "'%s.part' '%s'",
             o->pack, o->out, o->pack, o->pack);
    if (system(command.at) != 0) fprintf(stderr, "measure: %s could not be packed\n", o->pack);
    text_free(&command);
    text_add(&command,
             "results=$(cd '%s' && ls *-results.csv functions.csv 2>/dev/null); [ -z \"$results\" "
             "] || tar -czf "
             "'%s.part' -C '%s' $results && "
             "[ ! -e '%s.part' ] || mv '%s.part' '%.*s-results.tar.gz'",
             o->out, o->pack, o->out, o->pack, o->pack, (int)end, o->pack);
    if (system(command.at) != 0) fprintf(stderr, "measure: single results could not be packed\n");
    text_free(&command);
}

static pid_t running; // the part's process, for the handler
static void forward(int signal) {
    if (running > 0) kill(-running, SIGKILL);
    _exit(128 + signal);
}

// Runs a part in its own process and group; the text is its status.
static const char *run_part(const struct options *o, const char *self, const struct part *p,
                            double limit, const char *log) {
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.0f", limit);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        const int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd >= 0) {
            dup2(fd, 1);
            dup2(fd, 2);
        }
        const char *args[20] = {self,
                                "part",
                                p->name,
                                "-o",
                                o->out,
                                "--home",
                                o->home,
                                "--seconds",
                                seconds,
                                "--scale",
                                o->scale ? "full" : "tiny"};
        int n = 11;
        if (o->only) {
            args[n++] = "--only";
            args[n++] = o->only;
        }
        execv(self, (char *const *)args);
        _exit(127);
    }
    if (pid < 0) die("no process for part %s: %s", p->name, strerror(errno));
    setpgid(pid, pid);
    running = pid;
    const double ends = seconds_now() + limit + 3; // it plans with `limit` itself
    int status = 0;
    bool cut = false;
    for (;;) {
        const pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid) break;
        if (done < 0 && errno != EINTR) die("part %s is lost: %s", p->name, strerror(errno));
        if (seconds_now() > ends && !cut) {
            kill(-pid, SIGKILL);
            cut = true;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    kill(-pid, SIGKILL); // what it may have left running
    running = 0;
    if (cut) return "cut";
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "done";
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LEFT_OUT) return "left out";
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CUT) return "cut";
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_AGAIN) return "again";
    return "failed";
}

static int run_all(struct options *o, const char *self) {
    check_list(o->list);
    if (o->dry) {
        double sum = 0;
        printf("part,seconds,sum_seconds,compute_capability,asks,files,what\n");
        for (unsigned i = 0; i < part_count; i++) {
            const struct part *p = &parts[i];
            if (!listed(o->list, p->name)) continue;
            const double seconds = o->scale ? p->full : p->tiny;
            sum += seconds;
            printf("%s,%.0f,%.0f,%d.%d,%s,%s,%s\n", p->name, seconds, sum, p->needs / 10,
                   p->needs % 10, p->asks, p->files, p->prose);
        }
        return 0;
    }
    const double start = seconds_now();
    if (mkdir(o->out, 0777) != 0 && errno != EEXIST)
        die("cannot make %s: %s", o->out, strerror(errno));
    signal(SIGINT, forward);
    signal(SIGTERM, forward);
    struct kit k = {.out = o->out};
    int failures = 0;
    for (unsigned i = 0; i < part_count; i++) {
        const struct part *p = &parts[i];
        if (!listed(o->list, p->name) || (!o->again && is_done(o->out, p->name))) continue;
        const double left = o->seconds * o->slow - (seconds_now() - start),
                     want = (o->scale ? p->full : p->tiny) * o->slow;
        double limit = want * 4 + 20;
        if (limit > left) limit = left;
        struct text log = {0};
        text_add(&log, "%s/%s.log", o->out, p->name);
        char note[320] = "";
        const char *status = "left out";
        const double began = seconds_now();
        if (limit < want * 0.5) {
            snprintf(note, sizeof note, "no time is left for it: %.0f of %.0f s", left, want);
        } else {
            // A kernel that breaks its process is refused the next time; more than a few of them
            // are a failure.
            for (int tries = 0; tries < 6; tries++) {
                const double left_of_it = limit - (seconds_now() - began);
                status = run_part(o, self, p, left_of_it > 1 ? left_of_it : 1, log.at);
                last_line(log.at, note, sizeof note);
                if (strcmp(status, "again") != 0) break;
            }
            if (strcmp(status, "again") == 0) status = "failed";
        }
        const bool done = strcmp(status, "done") == 0;
        if (done) unlink(log.at);
        failures += strcmp(status, "failed") == 0 || strcmp(status, "cut") == 0;
        struct sheet s = sheet_more(&k, "parts");
        sheet_text(&s, p->name);
        sheet_text(&s, status);
        sheet_real(&s, round((seconds_now() - began) * 100) / 100);
        sheet_text(&s, done ? "" : note);
        sheet_end(&s);
        sheet_close(&s);
        fprintf(stderr, "%s: %s, %.1f s%s%s\n", p->name, status, seconds_now() - began,
                done || !*note ? "" : ": ", done ? "" : note);
        text_free(&log);
        if (o->pack) pack(o);
    }
    fprintf(stderr, "%s: %d failures, %.0f s\n", o->out, failures, seconds_now() - start);
    return failures ? 1 : 0;
}

static int run_one(const struct options *o) {
    const struct part *p = o->count > 1 ? part_find(o->words[1]) : NULL;
    if (!p) die("no such part");
    struct kit k = {.part = p->name,
                    .out = o->out,
                    .home = o->home,
                    .only = o->only,
                    .scale = o->scale,
                    .once = o->once,
                    .ends = seconds_now() + o->seconds};
    k.nvml = nvml_open();
    if (strstr(p->asks, "nvml") && !nvml_there(k.nvml))
        kit_leave("there is no management library (NVML)");
    char why[400];
    if (!strstr(p->asks, "outside")) {
        if (!gpu_open(&k.gpu, why, sizeof why)) die("%s", why);
        if (k.gpu.capability < p->needs) {
            snprintf(why, sizeof why, "it needs compute capability %d.%d", p->needs / 10,
                     p->needs % 10);
            kit_leave(why);
        }
    }
    kit_condition(&k, p->name, "before");
    p->run(&k);
    kit_condition(&k, p->name, "after");
    nvml_close(k.nvml);
    if (k.cut)
        fprintf(stderr, "measure: its time was over; the rest follows when it is run again\n");
    fflush(NULL);
    _exit(k.cut ? EXIT_CUT : 0); // the driver's own end may take long, and all is written
}

// The PTX ISA of a ptxas, by its release; 7.8 where it does not say.
static int isa_of(const char *ptxas) {
    struct text command = {0};
    text_add(&command, "'%s' --version", ptxas);
    FILE *f = popen(command.at, "r");
    text_free(&command);
    int isa = 78, major, minor;
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        const char *p = strstr(line, "release ");
        if (p && sscanf(p, "release %d.%d", &major, &minor) == 2)
            isa = kernels_isa(major * 1000 + minor * 10);
    }
    if (!f || pclose(f) != 0) die("%s cannot be run", ptxas);
    return isa;
}

static int prebuild(const struct options *o) {
    if (o->count < 2) die("prebuild needs a folder");
    const char *folder = o->words[1];
    struct text path = {0};
    mkdir(folder, 0777);
    text_add(&path, "%s/cubin", folder);
    mkdir(path.at, 0777);
    text_add(&path, "/refused.csv");
    FILE *refusals = fopen(path.at, "w");
    if (!refusals) die("cannot write %s: %s", path.at, strerror(errno));
    const int isa = isa_of(o->ptxas);
    fprintf(refusals, "target,part,kernel,why\n");
    for (const char *a = o->arch; *a; a += strcspn(a, ","), a += *a == ',') {
        const int capability = atoi(a);
        if (capability < 70) die("--arch is `%s`; it must be numbers such as 90,80", o->arch);
        unsigned kernels = 0, refused = 0;
        for (unsigned i = 0; i < part_count; i++) {
            if (!parts[i].kernels || !listed(o->list, parts[i].name)) continue;
            struct kernels list = {0};
            parts[i].kernels(&list);
            refused += kernels_prebuild(&list, folder, o->ptxas, capability, isa, refusals);
            kernels += list.count;
            kernels_free(&list);
        }
        printf("sm_%d: %u kernels, %u refused\n", capability, kernels, refused);
    }
    text_free(&path);
    return fclose(refusals) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    struct options o = parse(argc, argv);
    static char self[4096], home[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) die("/proc/self/exe cannot be read");
    snprintf(home, sizeof home, "%s", self);
    *strrchr(home, '/') = 0;
    if (!o.home) o.home = home;
    const char *command = o.count ? o.words[0] : "";
    if (strcmp(command, "run") == 0) return run_all(&o, self);
    if (strcmp(command, "part") == 0) return run_one(&o);
    if (strcmp(command, "prebuild") == 0) return prebuild(&o);
    if (strcmp(command, "check") == 0 && o.count == 2) {
        const unsigned faults = sheet_check(o.words[1], stdout);
        printf("%u faults\n", faults);
        return faults ? 1 : 0;
    }
    if (strcmp(command, "compare") == 0 && o.count == 3) return compare(o.words[1], o.words[2]);
    if (strcmp(command, "publish") == 0 && o.count == 3)
        return publish_results(o.words[1], o.words[2], o.blind);
    if (strcmp(command, "operands") == 0 && o.count == 2) return print_operands(o.words[1]);
    if (strcmp(command, "files") == 0) {
        for (unsigned i = 0; i < sheet_form_count; i++)
            printf("%s.csv: %s\n    %s\n", sheet_forms[i].file, sheet_forms[i].prose,
                   sheet_forms[i].heads);
        return 0;
    }
    fputs(usage, stderr);
    return 2;
}
