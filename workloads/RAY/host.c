// RAY, host: one launch. The reference is recursive, in double precision, meets spheres by their
// distance from the ray, and follows how far rounding can have moved a ray, so that it knows which
// pixels have an edge within rounding.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { WIDE = 16, HIGH = 8, OBJECTS = 4, BOUNCES = 5, SPHERE = 0, PLANE = 1 };

static const struct host_param params[] = {
    {"WIDTH", WIDE, 16384, "pixels, a multiple of 16"},
    {"HEIGHT", HIGH, 16384, "pixels, a multiple of 8"},
};
static const struct host_program program = {"RAY", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct object { // as the kernel has it
    float place[4], ambient[4], diffuse[4], specular[4];
    int32_t kind, unused[23];
};
static struct object scene[OBJECTS];
static float view[3][4], lamp[4] = {-5.0f, 9.0f, -7.0f, 0.0f};
static const float sky[2][4] = {{0.75f, 0.8f, 0.9f, 0.0f}, {0.2f, 0.35f, 0.7f, 0.0f}};

static void paint(struct object *o, const float rgb[3], float mirror) {
    for (int c = 0; c < 3; c++) {
        o->ambient[c] = 0.15f * rgb[c];
        o->diffuse[c] = 0.55f * rgb[c];
        o->specular[c] = 0.5f;
    }
    o->diffuse[3] = mirror;
}

// Spheres stand in a row with gaps, above the plane y = 0; the camera looks at them from above.
static void make_scene(struct host *h) {
    static const float rgb[OBJECTS][3] = {
        {0.9f, 0.3f, 0.2f}, {0.3f, 0.8f, 0.4f}, {0.3f, 0.4f, 0.9f}, {0.7f, 0.7f, 0.6f}};
    for (int k = 0; k < OBJECTS - 1; k++) {
        struct object *o = &scene[k];
        o->kind = SPHERE;
        o->place[0] = 2.9f * (float)(k - 1) + host_random_float(h, -0.2f, 0.2f);
        o->place[1] = host_random_float(h, 1.3f, 1.8f);
        o->place[2] = host_random_float(h, -0.8f, 1.2f);
        o->place[3] = host_random_float(h, 0.9f, 1.2f);
        paint(o, rgb[k], 0.4f + 0.1f * (float)k);
    }
    scene[OBJECTS - 1].kind = PLANE;
    scene[OBJECTS - 1].place[1] = 1.0f;
    paint(&scene[OBJECTS - 1], rgb[OBJECTS - 1], 0.25f);

    const double tilt = 0.2;
    const float rows[3][4] = {{1, 0, 0, 0},
                              {0, (float)cos(tilt), (float)sin(tilt), 3.5f},
                              {0, (float)-sin(tilt), (float)cos(tilt), -9.0f}};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) view[r][c] = rows[r][c];
}

// ---------------------------------------------------------------------------------- reference

typedef struct {
    double x[3];
} vec;

static double dot(vec a, vec b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static vec along(vec a, vec b, double s) { // a + s b
    return (vec){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}
static vec unit(vec a) { return along((vec){{0}}, a, 1 / sqrt(dot(a, a))); }
static vec vec_of(const float *p) { return (vec){{(double)p[0], (double)p[1], (double)p[2]}}; }

// A ray, and how far single precision may have moved where it starts and where it points.
struct ray {
    vec from, to;
    double off, turned;
    bool unsure;                // an edge is within that
    const struct object *start; // it begins on this one, to within rounding wherever that is
    double cut;                 // how far off on the ray the last meeting with a sphere may be
};
// A vector's direction after a few sums. Its length is off by rsqrt's 2^-22, which moves no hit:
// distances are counted in lengths of the vector.
static const double ROUNDING = 0x1p-22;
static const double EDGE = 4; // an edge this many times the error away is near
static const double TOO_NEAR = 1e-3, NOWHERE = 1e20;

// Where the ray meets an object; *steep is the cosine to the normal there.
static double meet(struct ray *r, const struct object *o, double *steep) {
    const vec place = vec_of(o->place);
    double t = NOWHERE;
    if (o->kind == PLANE) {
        *steep = dot(place, r->to);
        if (fabs(*steep) < EDGE * r->turned) r->unsure = true;
        if (*steep != 0) t = ((double)o->place[3] - dot(place, r->from)) / *steep;
        if (fabs(t - TOO_NEAR) < TOO_NEAR / 2) r->unsure = true;
        return t > TOO_NEAR ? t : NOWHERE;
    }
    const vec to_centre = along(place, r->from, -1);
    const double ahead = dot(to_centre, r->to), radius = (double)o->place[3];
    const double apart = sqrt(fmax(dot(to_centre, to_centre) - ahead * ahead, 0));
    const double far = sqrt(dot(to_centre, to_centre));
    const double error = o == r->start ? 4 * ROUNDING * far : r->off + (r->turned + ROUNDING) * far;
    if (ahead > -radius && fabs(apart - radius) < EDGE * error) r->unsure = true;
    if (apart >= radius) return NOWHERE;
    const double half = sqrt((radius - apart) * (radius + apart));
    *steep = half / radius;
    // The kernel takes the root of a difference of squares, each off by 2^-24 of itself or so.
    r->cut = 0x1p-23 * far * far / half;
    const double ends[2] = {ahead - half, ahead + half};
    for (int e = 0; e < 2; e++) {
        // The surface that the ray starts from counts only where the ray hardly leaves it.
        if (fabs(ends[e] - TOO_NEAR) < TOO_NEAR / 2 + EDGE * error) r->unsure = true;
        if (ends[e] > TOO_NEAR) return ends[e];
    }
    return NOWHERE;
}

static vec trace(struct ray *r, int left) {
    double t = NOWHERE, steep = 1, second = NOWHERE, cut = 0;
    const struct object *o = NULL;
    for (int k = 0; k < OBJECTS; k++) {
        double s = 1;
        r->cut = 0;
        const double d = meet(r, &scene[k], &s);
        if (d < t) {
            cut = r->cut;
            second = t;
            t = d;
            steep = fabs(s);
            o = &scene[k];
        } else if (d < second) {
            second = d;
        }
    }
    vec sum = {{0}};
    if (!o) {
        const double up = fmin(fmax(r->to.x[1], 0), 1);
        return along(along(sum, vec_of(sky[0]), 1 - up), vec_of(sky[1]), up);
    }
    const double off = (r->off + t * (r->turned + ROUNDING)) / steep + cut + ROUNDING;
    const bool round = o->kind == SPHERE;
    const double bent = round ? off / (double)o->place[3] + ROUNDING : 0; // the normal's error
    const double turned = r->turned + 2 * bent + ROUNDING;
    // So far off, a highlight is (its slope is 4.3 a radian) by 255 * 0.5 * 4.3 * 1e-3 = 0.55 of a
    // level, and light on the plane, nine units or more from the lamp, by 0.02.
    if (second - t < EDGE * off || off > 1e-3 || turned > 1e-3) r->unsure = true;

    const vec at = along(r->from, r->to, t), place = vec_of(o->place);
    const vec normal = round ? unit(along(at, place, -1)) : place;
    const vec to_lamp = along(vec_of(lamp), at, -1);
    const double reach = sqrt(dot(to_lamp, to_lamp));
    struct ray shadow = {at, unit(to_lamp), off, off / reach + ROUNDING, false, o, 0};
    const double facing = dot(normal, shadow.to);
    if (fabs(facing) < EDGE * (bent + shadow.turned)) r->unsure = true;
    sum = vec_of(o->ambient);
    const vec mirrored = along(r->to, normal, -2 * dot(normal, r->to));
    if (facing > 0) {
        int between = 0;
        for (int k = 0; k < OBJECTS; k++) {
            double s;
            between += meet(&shadow, &scene[k], &s) <= reach; // the lamp is high above them all
        }
        r->unsure = r->unsure || shadow.unsure;
        if (!between) {
            sum = along(sum, vec_of(o->diffuse), facing);
            const double shine = pow(fmax(dot(mirrored, shadow.to), 0), 50);
            sum = along(sum, vec_of(o->specular), shine);
        }
    }
    if (left > 1) {
        struct ray next = {at, mirrored, off, turned, r->unsure, o, 0};
        const vec seen = trace(&next, left - 1);
        r->unsure = next.unsure;
        sum = along(sum, seen, (double)o->diffuse[3]);
    }
    return sum;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int width = (int)h.arg[0], height = (int)h.arg[1];
    host_require(&h, width % WIDE == 0 && height % HIGH == 0,
                 "the picture is %d x %d; it must be a multiple of %d x %d.", width, height, WIDE,
                 HIGH);
    make_scene(&h);
    host_write_symbol(&h, "scene", scene, sizeof scene);
    host_write_symbol(&h, "view", view, sizeof view);
    host_write_symbol(&h, "lamp", lamp, sizeof lamp);
    host_write_symbol(&h, "sky", sky, sizeof sky);

    const size_t count = (size_t)width * (size_t)height;
    uint32_t *pixels = host_memory(count, sizeof *pixels);
    CUdeviceptr pixels_dev = host_alloc(&h, count * sizeof *pixels);
    const struct dim grid = {(unsigned)width / WIDE, (unsigned)height / HIGH}, block = {WIDE, HIGH};
    host_launch(host_kernel(&h, "render"), grid, block, 0, &pixels_dev, &width, &height);
    host_read(pixels, pixels_dev, count * sizeof *pixels);

    float *got = host_memory(4 * count, sizeof *got);
    double *want = host_memory(4 * count, sizeof *want);
    size_t unsure = 0;
    for (size_t i = 0; i < count; i++) {
        const double x = (double)(i % (size_t)width) + 0.5, y = (double)(i / (size_t)width) + 0.5;
        vec to = along((vec){{0}}, vec_of(view[0]), (x - 0.5 * width) / height);
        to = along(to, vec_of(view[1]), (0.5 * height - y) / height);
        const vec eye = {{(double)view[0][3], (double)view[1][3], (double)view[2][3]}};
        struct ray r = {eye, unit(along(to, vec_of(view[2]), 1)), 0, ROUNDING, false, NULL, 0};
        const vec colour = trace(&r, BOUNCES);
        for (size_t c = 0; c < 4; c++) {
            got[4 * i + c] = (float)(pixels[i] >> 8 * c & 255);
            want[4 * i + c] = c < 3 ? fmin(fmax(255 * colour.x[c], 0), 255) - 0.5 : 255;
            if (r.unsure) want[4 * i + c] = (double)got[4 * i + c];
        }
        unsure += r.unsure;
    }
    // A level is cut, not rounded: half of one below the colour on average, half of one off.
    // The rest is for what errors of place and direction do, see trace.
    host_check_float(&h, "levels of colour", got, want, 4 * count, 0, 1.25);
    host_check_that(&h, unsure <= count / 10 + 16,
                    "%zu of %zu pixels have an edge within rounding.", unsure, count);

    free(pixels);
    free(got);
    free(want);
    return host_close(&h);
}
