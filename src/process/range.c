// See range.h.
#include "process/range.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct open_range {
    uint64_t serial;      // order of opening, over all threads
    int32_t domain, name; // places in `the.name`
};

// The ranges that a thread has pushed.
struct stack {
    struct open_range at[RANGE_LEVELS];
    uint32_t n, deeper; // deeper: pushed beyond them
    uint64_t version;   // of `mark`
    uint32_t mark;
};

struct mark {
    uint32_t parent, node;
};

static struct {
    pthread_mutex_t lock;
    bool is_ready;
    uint64_t serial;    // of the last range
    uint64_t version;   // of what is open: each change is one more
    struct stack first; // the program's first thread
    struct open_range started[RANGE_LEVELS];
    uint32_t n_started;
    struct arena arena;
    struct names name_of, node_of, mark_of; // by text; by parent and name; by parent and serial
    VEC(const char *) name;
    VEC(struct range_node) node; // [0] is no node
    VEC(struct mark) mark;       // [0] is no mark
} the = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct stack own; // of any other thread

static _Thread_local struct stack *mine; // NULL: not known yet

static struct stack *stack_of_thread(void) {
    if (!mine) mine = gettid() == getpid() ? &the.first : &own;
    return mine;
}

static void lock(void) {
    pthread_mutex_lock(&the.lock);
    if (the.is_ready) return;
    the.is_ready = true;
    arena_init(&the.arena, NULL);
    names_init(&the.name_of, &the.arena);
    names_init(&the.node_of, &the.arena);
    names_init(&the.mark_of, &the.arena);
    vec_push(&the.arena, &the.node, ((struct range_node){.name = "", .path = ""}));
    vec_push(&the.arena, &the.mark, (struct mark){0});
}
static void unlock(void) { pthread_mutex_unlock(&the.lock); }

static int32_t intern(const char *text) {
    const size_t n = strlen(text);
    int32_t i = names_get(&the.name_of, text, n);
    if (i >= 0) return i;
    i = (int32_t)the.name.n;
    const char *const kept = arena_strdup(&the.arena, text);
    vec_push(&the.arena, &the.name, kept);
    names_put(&the.name_of, kept, n, i);
    return i;
}

static struct open_range opened(const char *domain, const char *name) {
    char text[512];
    const bool has_domain = domain && *domain;
    snprintf(text, sizeof text, "%s%s%s", has_domain ? domain : "", has_domain ? ": " : "",
             name ? name : "");
    the.version++;
    return (struct open_range){
        .serial = ++the.serial, .domain = intern(has_domain ? domain : ""), .name = intern(text)};
}

int range_push(const char *domain, const char *name) {
    lock();
    struct stack *const s = stack_of_thread();
    const int level = (int)(s->n + s->deeper);
    if (s->n < RANGE_LEVELS)
        s->at[s->n++] = opened(domain, name);
    else
        s->deeper++;
    unlock();
    return level;
}

int range_pop(const char *domain) {
    lock();
    struct stack *const s = stack_of_thread();
    int level = -2;
    if (s->deeper) {
        s->deeper--;
        level = (int)(s->n + s->deeper);
    } else {
        const int32_t d = intern(domain ? domain : "");
        uint32_t i = s->n;
        while (i > 0 && s->at[i - 1].domain != d) i--;
        if (i > 0) {
            level = (int)i - 1;
            memmove(&s->at[i - 1], &s->at[i], (s->n - i) * sizeof *s->at);
            s->n--;
            the.version++;
        }
    }
    unlock();
    return level;
}

uint64_t range_start(const char *domain, const char *name) {
    lock();
    const struct open_range r = opened(domain, name);
    if (the.n_started < RANGE_LEVELS) the.started[the.n_started++] = r;
    unlock();
    return r.serial;
}

void range_end(uint64_t id) {
    lock();
    for (uint32_t i = 0; i < the.n_started; i++) {
        if (the.started[i].serial != id) continue;
        memmove(&the.started[i], &the.started[i + 1],
                (the.n_started - i - 1) * sizeof *the.started);
        the.n_started--;
        the.version++;
        break;
    }
    unlock();
}

// ---- marks --------------------------------------------------------------------------------------
static uint32_t node_below(uint32_t parent, int32_t name) {
    const uint32_t key[2] = {parent, (uint32_t)name};
    const int32_t known = names_get(&the.node_of, (const char *)key, sizeof key);
    if (known > 0) return (uint32_t)known;
    if (the.node.n > RANGE_NODES) return parent;
    const char *const text = the.name.at[name];
    const struct range_node n = {
        .parent = parent,
        .name = text,
        .path = parent ? arena_printf(&the.arena, "%s/%s", the.node.at[parent].path, text) : text};
    const uint32_t id = the.node.n;
    vec_push(&the.arena, &the.node, n);
    names_put(&the.node_of, arena_copy(&the.arena, key, sizeof key), sizeof key, (int32_t)id);
    return id;
}

static uint32_t mark_below(uint32_t parent, const struct open_range *r) {
    const uint64_t key[2] = {parent, r->serial};
    const int32_t known = names_get(&the.mark_of, (const char *)key, sizeof key);
    if (known > 0) return (uint32_t)known;
    const uint32_t above = the.mark.at[parent].node, node = node_below(above, r->name);
    if (node == above && above) return parent; // there are too many
    the.node.at[node].times++;
    const struct mark m = {parent, node};
    const uint32_t id = the.mark.n;
    vec_push(&the.arena, &the.mark, m);
    names_put(&the.mark_of, arena_copy(&the.arena, key, sizeof key), sizeof key, (int32_t)id);
    return id;
}

// The next of all open ranges that the thread sees, in the order of their opening.
static const struct open_range *next_of(const struct open_range *list, uint32_t n, uint64_t after,
                                        const struct open_range *best) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i].serial > after) // a list is in order
            return !best || list[i].serial < best->serial ? &list[i] : best;
    return best;
}

uint32_t range_mark(void) {
    lock();
    struct stack *const s = stack_of_thread();
    if (s->version != the.version) {
        uint32_t mark = 0;
        uint64_t after = 0;
        for (int level = 0; level < RANGE_LEVELS; level++) {
            const struct open_range *r = next_of(s->at, s->n, after, NULL);
            r = next_of(the.first.at, the.first.n, after, r);
            r = next_of(the.started, the.n_started, after, r);
            if (!r) break;
            after = r->serial;
            mark = mark_below(mark, r);
        }
        s->mark = mark;
        s->version = the.version;
    }
    const uint32_t mark = s->mark;
    unlock();
    return mark;
}

uint32_t range_node_of(uint32_t mark) {
    if (!mark) return 0;
    lock();
    const uint32_t node = mark < the.mark.n ? the.mark.at[mark].node : 0;
    unlock();
    return node;
}

uint32_t range_nodes(void) {
    lock();
    const uint32_t n = the.node.n - 1;
    unlock();
    return n;
}

struct range_node range_node(uint32_t node) {
    lock();
    const struct range_node n = the.node.at[node < the.node.n ? node : 0];
    unlock();
    return n;
}

uint32_t range_levels_of(uint32_t mark, uint32_t level[RANGE_LEVELS]) {
    uint32_t n = 0;
    if (!mark) return 0;
    lock();
    for (uint32_t m = mark; m && m < the.mark.n; m = the.mark.at[m].parent) n++;
    uint32_t m = mark;
    for (uint32_t i = n; i-- > 0; m = the.mark.at[m].parent)
        if (i < RANGE_LEVELS) level[i] = m;
    unlock();
    return n < RANGE_LEVELS ? n : RANGE_LEVELS;
}

// ---- forks --------------------------------------------------------------------------------------
void range_before_fork(void) { pthread_mutex_lock(&the.lock); }
void range_after_fork(bool is_child) {
    if (is_child) {
        the.first.n = the.first.deeper = 0;
        the.n_started = 0;
        the.version++;
        own.n = own.deeper = 0;
        mine = NULL;
    }
    pthread_mutex_unlock(&the.lock);
}
