// RAY: spheres and a plane seen by rays with reflections and shadows, after Whitted (CACM 1980).
// One thread a pixel. A ray that meets a mirror goes on from there, up to BOUNCES times; the light
// of each meeting is kept with the share that the next one adds, and summed from the last back.
#include "device.h"

enum { OBJECTS = 4, BOUNCES = 5, SPHERE = 0, PLANE = 1 };

struct object {              // 160 bytes, the published program's
    float4 place;            // sphere: centre and radius; plane: unit normal and distance
    float4 ambient, diffuse; // colours, red to blue; diffuse.w: what a mirror gives of its light
    float4 specular;
    int kind;
    int unused[23];
};

CONSTANT(object, scene[OBJECTS]);
CONSTANT(float4, view[3]); // rows: to the right, up, ahead; their w: the eye
CONSTANT(float4, lamp);
CONSTANT(float4, sky[2]); // at the horizon, overhead

#define NOWHERE  1e20f
#define TOO_NEAR 1e-3f // a ray does not meet the surface that it starts from

DEVICE_FN float3 plus(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
DEVICE_FN float3 minus(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
DEVICE_FN float3 times(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
DEVICE_FN float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE_FN float3 unit(float3 a) { return times(a, rsqrtf(dot(a, a))); }
DEVICE_FN float3 xyz(float4 a) { return make_float3(a.x, a.y, a.z); }

// How far along the ray the object lies, in lengths of `along`.
DEVICE_FN float distance_to(const object &o, float3 from, float3 along) {
    if (o.kind == PLANE) {
        const float slope = dot(xyz(o.place), along);
        if (fabsf(slope) < 1e-6f) return NOWHERE;
        const float t = (o.place.w - dot(xyz(o.place), from)) / slope;
        return t > TOO_NEAR ? t : NOWHERE;
    }
    const float3 m = minus(from, xyz(o.place));
    const float a = dot(along, along), b = dot(m, along);
    const float inside = b * b - a * (dot(m, m) - o.place.w * o.place.w);
    if (inside < 0.0f) return NOWHERE;
    const float root = sqrtf(inside);
    float t = (-b - root) / a;
    if (t <= TOO_NEAR) t = (root - b) / a;
    return t > TOO_NEAR ? t : NOWHERE;
}

DEVICE_FN unsigned level(float x) { return (unsigned)(__saturatef(x) * 255.0f); }

extern "C" __global__ void render(unsigned *pixels, int width, int height) {
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    pixels[y * width + x] = 0;
    __syncthreads();

    const float u = ((float)x + 0.5f - 0.5f * (float)width) / (float)height;
    const float v = (0.5f * (float)height - (float)y - 0.5f) / (float)height;
    float3 from = make_float3(view[0].w, view[1].w, view[2].w);
    float3 along = unit(plus(plus(times(xyz(view[0]), u), times(xyz(view[1]), v)), xyz(view[2])));

    float4 light[BOUNCES]; // w: the share of the next one
    int n = 0;
    while (n < BOUNCES) {
        float t = NOWHERE;
        int hit = -1;
        for (int k = 0; k < OBJECTS; k++) {
            const float d = distance_to(scene[k], from, along);
            if (d < t) {
                t = d;
                hit = k;
            }
        }
        if (hit < 0) {
            const float up = __saturatef(along.y);
            light[n++] = make_float4(sky[0].x + up * (sky[1].x - sky[0].x),
                                     sky[0].y + up * (sky[1].y - sky[0].y),
                                     sky[0].z + up * (sky[1].z - sky[0].z), 0.0f);
            break;
        }

        const object &o = scene[hit];
        const float3 at = plus(from, times(along, t));
        float3 normal = xyz(o.place);
        if (o.kind == SPHERE) normal = unit(minus(at, normal));
        const float3 to_lamp = minus(xyz(lamp), at);
        const float lamp_distance = sqrtf(dot(to_lamp, to_lamp));
        const float3 towards = unit(to_lamp);
        const float facing = dot(normal, towards);
        const float3 mirrored = unit(minus(along, times(normal, 2.0f * dot(normal, along))));

        float3 sum = xyz(o.ambient);
        bool lit = facing > 0.0f;
        for (int k = 0; lit && k < OBJECTS; k++)
            lit = distance_to(scene[k], at, towards) > lamp_distance;
        if (lit) {
            sum = plus(sum, times(xyz(o.diffuse), facing));
            const float shine = dot(mirrored, towards);
            if (shine > 0.0f) sum = plus(sum, times(xyz(o.specular), powf(shine, 50.0f)));
        }
        light[n++] = make_float4(sum.x, sum.y, sum.z, o.diffuse.w);
        if (o.diffuse.w == 0.0f) break;
        from = at;
        along = mirrored;
    }

    float3 colour = make_float3(0.0f, 0.0f, 0.0f);
    while (n-- > 0) colour = plus(xyz(light[n]), times(colour, light[n].w));
    pixels[y * width + x] =
        level(colour.x) | level(colour.y) << 8 | level(colour.z) << 16 | 0xff000000U;
}
