// Layers of a network but convolutions (layer.h). The file is compiled once for each type: ELEMENT, and SUM of what is added up.
// Sums of a block are made in an order that does not depend on time.
#include "../random/draw.h"
#include "element.h"
#include "layer.h"

// erf by its series to 3, beyond by the continued fraction of erfc (Abramowitz and Stegun 7.1.5, 7.1.14).
static __device__ A error_function(A x) {
    const A a = x < 0 ? -x : x;
    if (a > 6) return x < 0 ? -1 : 1;
    A r;
    if (a < 3) {
        A term = a, sum = a;
        for (int n = 1; n < 40; n++) {
            term *= -a * a / n;
            sum += term / (2 * n + 1);
        }
        r = sum * (A)1.1283791670955126;
    } else {
        A f = 0;
        for (int n = 40; n >= 1; n--) f = (A)n / 2 / (a + f);
        r = 1 - exponential(-a * a) / (a + f) * (A)0.5641895835477563;
    }
    return x < 0 ? -r : r;
}
// Sine by reduction to +-pi/4 and Taylor's series; `quarter` 1 makes it the cosine.
static __device__ A sine(A x, int quarter) {
    const double n = __nvvm_floor_d((double)x * 0.6366197723675814 + 0.5);
    const double r = ((double)x - n * 1.5707963267948966) - n * 6.123233995736766e-17, rr = r * r;
    const int q = (int)((int64_t)n + quarter & 3);
    double s = 0, c = 0;
    for (int k = 17; k >= 3; k -= 2) s = (s + 1) * -rr / (k * (k - 1));
    for (int k = 18; k >= 2; k -= 2) c = (c + 1) * -rr / (k * (k - 1));
    const double v = q & 1 ? 1 + c : r * (1 + s);
    return (A)(q & 2 ? -v : v);
}

static __device__ A forward(int mode, A x, const point &p) {
    switch (mode) {
    case POINT_SQRT: return square_root(x);
    case POINT_ABS: return x < 0 ? -x : x;
    case POINT_CEIL: return -(A)__nvvm_floor_d(-(double)x);
    case POINT_FLOOR: return (A)__nvvm_floor_d((double)x);
    case POINT_COS: return sine(x, 1);
    case POINT_SIN: return sine(x, 0);
    case POINT_EXP: return exponential(x);
    case POINT_LOG: return logarithm(x);
    case POINT_NEG: return -x;
    case POINT_RSQRT: return 1 / square_root(x);
    case POINT_ERF: return error_function(x);
    case POINT_RECIPROCAL: return 1 / x;
    case POINT_RELU: return x < (A)p.low ? (A)p.low + (A)p.slope * (x - (A)p.low) : x > (A)p.high ? (A)p.high : x;
    case POINT_TANH: return tangent(x);
    case POINT_SIGMOID: return sigmoid(x);
    case POINT_ELU: return x > 0 ? x : (A)p.slope * (exponential(x) - 1);
    case POINT_GELU: return x * (1 + error_function(x * (A)0.7071067811865476)) / 2;
    case POINT_SOFTPLUS: return x * (A)p.slope > 20 ? x : logarithm(1 + exponential(x * (A)p.slope)) / (A)p.slope;
    case POINT_SWISH: return x * sigmoid(x * (A)p.slope);
    case POINT_GELU_TANH: return x / 2 * (1 + tangent((A)0.7978845608028654 * (x + (A)0.044715 * x * x * x)));
    default: return x;
    }
}
// The derivative at x.
static __device__ A slope(int mode, A x, const point &p) {
    switch (mode) {
    case POINT_RELU_BACK: return x <= (A)p.low ? (A)p.slope : x > (A)p.high ? 0 : 1;
    case POINT_TANH_BACK: return 1 - tangent(x) * tangent(x);
    case POINT_SIGMOID_BACK: return sigmoid(x) * (1 - sigmoid(x));
    case POINT_ELU_BACK: return x > 0 ? 1 : (A)p.slope * exponential(x);
    case POINT_GELU_BACK:
        return (1 + error_function(x * (A)0.7071067811865476)) / 2 + x * exponential(-x * x / 2) * (A)0.3989422804014327;
    case POINT_SOFTPLUS_BACK: return sigmoid(x * (A)p.slope);
    case POINT_SWISH_BACK: {
        const A s = sigmoid(x * (A)p.slope);
        return s + x * (A)p.slope * s * (1 - s);
    }
    default: {
        const A t = tangent((A)0.7978845608028654 * (x + (A)0.044715 * x * x * x));
        return (1 + t) / 2 + x / 2 * (1 - t * t) * (A)0.7978845608028654 * (1 + (A)0.134145 * x * x);
    }
    }
}

// Elements of several types in one call: cudnnDataType_t.
static __device__ A load(uint64_t at, int64_t i, int type) {
    switch (type) {
    case 0: return (A)((const float *)at)[i];
    case 1: return (A)((const double *)at)[i];
    case 2: return (A)widen(((const f16 *)at)[i], float{});
    case 3: return (A)((const int8_t *)at)[i];
    case 4: return (A)((const int32_t *)at)[i];
    default: return (A)widen(((const bf16 *)at)[i], float{});
    }
}
static __device__ void store(uint64_t at, int64_t i, int type, A v) {
    switch (type) {
    case 0: ((float *)at)[i] = (float)v; break;
    case 1: ((double *)at)[i] = (double)v; break;
    case 2: narrow(&((f16 *)at)[i], (float)v); break;
    case 4: ((int32_t *)at)[i] = (int32_t)v; break;
    default: narrow(&((bf16 *)at)[i], (float)v);
    }
}

extern "C" __global__ void points(const point p) {
    EACH(i, p.all) {
        int64_t rest = i, a = 0, b = 0, y = 0;
#pragma unroll
        for (int axis = LAYER_AXES - 1; axis >= 0; axis--) {
            if (p.size[axis] == 1) continue;
            const int64_t q = rest / p.size[axis], c = rest - q * p.size[axis];
            a += c * p.step_a[axis];
            b += c * p.step_b[axis];
            y += c * p.step_y[axis];
            rest = q;
        }
        // what has the factor zero is not read: it may hold anything
        const A x = p.alpha_a != 0 ? (A)p.alpha_a * load(p.a, a, p.type_a) : 0;
        const A z = p.b && p.alpha_b != 0 ? (A)p.alpha_b * load(p.b, b, p.type_b) : 0;
        A v;
        if (p.mode >= POINT_RELU_BACK) {
            v = x * slope(p.mode, z, p);
        } else {
            switch (p.mode) {
            case POINT_ADD: v = x + z; break;
            case POINT_MUL: v = x * z; break;
            case POINT_MIN: v = z < x ? z : x; break;
            case POINT_MAX: v = z > x ? z : x; break;
            case POINT_ADD_SQUARE: v = x + z * z; break;
            case POINT_DIV: v = x / z; break;
            case POINT_SUB: v = x - z; break;
            default: v = forward(p.mode, x, p);
            }
        }
        v *= (A)p.alpha;
        if (p.beta != 0) v += (A)p.beta * load(p.y, y, p.type_y);
        store(p.y, y, p.type_y, v);
    }
}

// ---- batch normalisation ------------------------------------------------------------------------------
// Elements of a block's channel: e counts images and places.
static __device__ inline int64_t x_at(const norm &n, int64_t e, int channel) {
    return e / n.places * n.x_image + channel * n.x_channel + e % n.places * n.x_place;
}
static __device__ inline int64_t y_at(const norm &n, int64_t e, int channel) {
    return e / n.places * n.y_image + channel * n.y_channel + e % n.places * n.y_place;
}
static __device__ inline int64_t d_at(const norm &n, int64_t e, int channel) {
    return e / n.places * n.d_image + channel * n.d_channel + e % n.places * n.d_place;
}
#define OF_CHANNEL(e, count) for (int64_t e = thread_x; e < (count); e += THREADS)

static __device__ inline void normalise(const norm &n, int64_t count, int channel, A mean, A inverse) {
    const A scale = sum_at(n.scale, channel), bias = sum_at(n.bias, channel);
    OF_CHANNEL(e, count) {
        const int64_t to = y_at(n, e, channel);
        A v = (get(n.x, x_at(n, e, channel)) - mean) * inverse * scale + bias;
        if (n.z) v += get(n.z, to);
        if (n.has_relu && v < 0) v = 0;
        put(n.y, to, v, n.alpha, n.beta);
    }
}
extern "C" __global__ void norm_train(const norm n) {
    const int channel = block_x;
    const int64_t count = (int64_t)n.images * n.places;
    A mine = 0;
    OF_CHANNEL(e, count) mine += get(n.x, x_at(n, e, channel));
    const A mean = block_sum(mine) / (A)count;
    mine = 0;
    OF_CHANNEL(e, count) {
        const A d = get(n.x, x_at(n, e, channel)) - mean;
        mine += d * d;
    }
    const A squares = block_sum(mine), inverse = 1 / square_root(squares / (A)count + (A)n.epsilon);
    if (thread_x == 0) {
        const A factor = (A)n.factor, unbiased = squares / (A)(count > 1 ? count - 1 : 1);
        if (n.mean) sum_at(n.mean, channel) = (1 - factor) * sum_at(n.mean, channel) + factor * mean;
        if (n.variance) sum_at(n.variance, channel) = (1 - factor) * sum_at(n.variance, channel) + factor * unbiased;
        if (n.saved_mean) sum_at(n.saved_mean, channel) = mean;
        if (n.saved_inverse) sum_at(n.saved_inverse, channel) = inverse;
    }
    normalise(n, count, channel, mean, inverse);
}
extern "C" __global__ void norm_infer(const norm n) {
    const int channel = block_x;
    normalise(n, (int64_t)n.images * n.places, channel, sum_at(n.mean, channel),
              1 / square_root(sum_at(n.variance, channel) + (A)n.epsilon));
}
extern "C" __global__ void norm_back(const norm n) {
    const int channel = block_x;
    const int64_t count = (int64_t)n.images * n.places;
    A mean, inverse, mine = 0;
    if (n.saved_mean && n.saved_inverse) {
        mean = sum_at(n.saved_mean, channel);
        inverse = sum_at(n.saved_inverse, channel);
    } else {
        OF_CHANNEL(e, count) mine += get(n.x, x_at(n, e, channel));
        mean = block_sum(mine) / (A)count;
        mine = 0;
        OF_CHANNEL(e, count) {
            const A d = get(n.x, x_at(n, e, channel)) - mean;
            mine += d * d;
        }
        inverse = 1 / square_root(block_sum(mine) / (A)count + (A)n.epsilon);
    }
    A with_x = 0;
    mine = 0;
    OF_CHANNEL(e, count) {
        const int64_t at = y_at(n, e, channel);
        const A dy = n.has_relu && !(get(n.y, at) > 0) ? 0 : get(n.dy, at);
        mine += dy;
        with_x += dy * (get(n.x, x_at(n, e, channel)) - mean);
    }
    const A d_bias = block_sum(mine), d_scale = block_sum(with_x) * inverse;
    const A scale = sum_at(n.scale, channel);
    OF_CHANNEL(e, count) {
        const int64_t at = y_at(n, e, channel);
        const A dy = n.has_relu && !(get(n.y, at) > 0) ? 0 : get(n.dy, at);
        if (n.dz) put(n.dz, at, dy, 1, 0);
        const A standard = (get(n.x, x_at(n, e, channel)) - mean) * inverse;
        put(n.dx, d_at(n, e, channel), scale * inverse * (dy - (d_bias + standard * d_scale) / (A)count), n.alpha, n.beta);
    }
    if (thread_x == 0) {
        const A a = (A)n.alpha_p, b = (A)n.beta_p;
        sum_at(n.d_scale, channel) = a * d_scale + (b != 0 ? b * sum_at(n.d_scale, channel) : 0);
        sum_at(n.d_bias, channel) = a * d_bias + (b != 0 ? b * sum_at(n.d_bias, channel) : 0);
    }
}

// ---- pooling ------------------------------------------------------------------------------------------
struct window {
    int from[3], to[3], all; // all: places that the mean counts
};
static __device__ window window_of(const pool &p, const int o[3]) {
    window w;
    w.all = 1;
    for (int s = 0; s < 3; s++) {
        const int from = o[s] * p.stride[s] - p.pad[s], to = from + p.window[s];
        w.from[s] = from < 0 ? 0 : from;
        w.to[s] = to > p.in[s] ? p.in[s] : to;
        w.all *= p.mode == POOL_MEAN_ALL ? p.window[s] : w.to[s] - w.from[s];
    }
    return w;
}
static __device__ inline int64_t at5(const int64_t step[5], int64_t image, int channel, int d, int h, int w) {
    return image * step[0] + channel * step[1] + d * step[2] + h * step[3] + w * step[4];
}
static __device__ inline void apart(int64_t i, const int size[3], int channels, int64_t *image, int *channel, int o[3]) {
    for (int s = 2; s >= 0; s--) {
        o[s] = (int)(i % size[s]);
        i /= size[s];
    }
    *channel = (int)(i % channels);
    *image = i / channels;
}
// The largest of a window, and where it is first; NaN is larger than all.
static __device__ A largest(const pool &p, const window &w, int64_t image, int channel, int at[3]) {
    A best = 0;
    bool has = false;
    for (int d = w.from[0]; d < w.to[0]; d++)
        for (int h = w.from[1]; h < w.to[1]; h++)
            for (int x = w.from[2]; x < w.to[2]; x++) {
                const A v = get(p.x, at5(p.x_step, image, channel, d, h, x));
                if (has && !(v > best) && (v == v || best != best)) continue;
                best = v;
                has = true;
                at[0] = d, at[1] = h, at[2] = x;
            }
    return best;
}
extern "C" __global__ void pool_forward(const pool p) {
    EACH(i, p.all) {
        int64_t image;
        int channel, o[3], at[3];
        apart(i, p.out, p.channels, &image, &channel, o);
        const window w = window_of(p, o);
        A v = 0;
        if (p.mode == POOL_MAX) {
            v = largest(p, w, image, channel, at);
        } else {
            for (int d = w.from[0]; d < w.to[0]; d++)
                for (int h = w.from[1]; h < w.to[1]; h++)
                    for (int x = w.from[2]; x < w.to[2]; x++) v += get(p.x, at5(p.x_step, image, channel, d, h, x));
            v /= (A)w.all;
        }
        put(p.y, at5(p.y_step, image, channel, o[0], o[1], o[2]), v, p.alpha, p.beta);
    }
}
// An element of x gathers from the windows that it lies in.
extern "C" __global__ void pool_back(const pool p) {
    EACH(i, p.all) {
        int64_t image;
        int channel, c[3], first[3], last[3], o[3];
        apart(i, p.in, p.channels, &image, &channel, c);
        for (int s = 0; s < 3; s++) {
            const int from = c[s] + p.pad[s] - p.window[s] + 1;
            first[s] = from <= 0 ? 0 : (from + p.stride[s] - 1) / p.stride[s];
            last[s] = (c[s] + p.pad[s]) / p.stride[s];
            if (last[s] >= p.out[s]) last[s] = p.out[s] - 1;
        }
        A sum = 0;
        for (o[0] = first[0]; o[0] <= last[0]; o[0]++)
            for (o[1] = first[1]; o[1] <= last[1]; o[1]++)
                for (o[2] = first[2]; o[2] <= last[2]; o[2]++) {
                    const window w = window_of(p, o);
                    const A dy = get(p.dy, at5(p.dy_step, image, channel, o[0], o[1], o[2]));
                    if (p.mode == POOL_MAX) {
                        int at[3] = {};
                        largest(p, w, image, channel, at);
                        if (at[0] == c[0] && at[1] == c[1] && at[2] == c[2]) sum += dy;
                    } else {
                        sum += dy / (A)w.all;
                    }
                }
        put(p.dx, at5(p.dx_step, image, channel, c[0], c[1], c[2]), sum, p.alpha, p.beta);
    }
}

// ---- softmax: a block for each line -------------------------------------------------------------------
static __device__ A block_most(A mine) {
    __shared__ A held[THREADS];
    barrier();
    held[thread_x] = mine;
    barrier();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half && held[thread_x + half] > held[thread_x]) held[thread_x] = held[thread_x + half];
        barrier();
    }
    return held[0];
}
static __device__ inline int64_t line_of(const softmax &s) {
    return block_x / s.inner * s.step_outer + block_x % s.inner * s.step_inner;
}
extern "C" __global__ void softmax_forward(const softmax s) {
    const int64_t line = line_of(s);
    A most = 0, mine = (A)-__builtin_inff();
    if (!s.has_no_max) {
        OF_CHANNEL(e, s.length) {
            const A v = get(s.x, line + e * s.step);
            mine = v > mine ? v : mine;
        }
        most = block_most(mine);
    }
    mine = 0;
    OF_CHANNEL(e, s.length) mine += exponential(get(s.x, line + e * s.step) - most);
    const A sum = block_sum(mine), log_sum = s.is_log ? logarithm(sum) : 0;
    OF_CHANNEL(e, s.length) {
        const A v = get(s.x, line + e * s.step) - most;
        put(s.y, line + e * s.step, s.is_log ? v - log_sum : exponential(v) / sum, s.alpha, s.beta);
    }
}
extern "C" __global__ void softmax_back(const softmax s) {
    const int64_t line = line_of(s);
    A mine = 0;
    OF_CHANNEL(e, s.length) {
        const int64_t at = line + e * s.step;
        mine += s.is_log ? get(s.dy, at) : get(s.dy, at) * get(s.y, at);
    }
    const A sum = block_sum(mine);
    OF_CHANNEL(e, s.length) {
        const int64_t at = line + e * s.step;
        const A y = get(s.y, at), dy = get(s.dy, at);
        put(s.dx, at, s.is_log ? dy - exponential(y) * sum : y * (dy - sum), s.alpha, s.beta);
    }
}

// ---- reductions: a block for each element of the result -------------------------------------------------
static __device__ A join(int mode, A a, A b) {
    switch (mode) {
    case 1:
    case 8: return a * b;
    case 2: return b < a || b != b ? b : a;
    case 3:
    case 4: return b > a || b != b ? b : a;
    default: return a + b;
    }
}
extern "C" __global__ void reductions(const reduce r) {
    __shared__ A held[THREADS];
    for (int64_t k = block_x; k < r.kept_all; k += blocks_x) {
        int64_t rest = k, from = 0, to = 0;
        for (int axis = LAYER_AXES - 1; axis >= 0; axis--) {
            const int64_t c = rest % r.kept[axis];
            from += c * r.x_kept[axis];
            to += c * r.y_kept[axis];
            rest /= r.kept[axis];
        }
        const A inf = (A)__builtin_inff();
        A mine = r.mode == 1 || r.mode == 8 ? 1 : r.mode == 2 ? inf : r.mode == 3 ? -inf : 0;
        OF_CHANNEL(e, r.gone_all) {
            int64_t left = e, at = from;
            for (int axis = LAYER_AXES - 1; axis >= 0; axis--) {
                at += left % r.gone[axis] * r.x_gone[axis];
                left /= r.gone[axis];
            }
            A v = load(r.x, at, r.type_x);
            if (r.mode == 4 || r.mode == 6) v = v < 0 ? -v : v;
            if (r.mode == 7) v *= v;
            if (r.mode == 8 && v == 0) v = 1;
            mine = join(r.mode, mine, v);
        }
        barrier();
        held[thread_x] = mine;
        barrier();
        for (int half = THREADS / 2; half; half /= 2) {
            if (thread_x < half) held[thread_x] = join(r.mode, held[thread_x], held[thread_x + half]);
            barrier();
        }
        if (thread_x == 0) {
            A v = held[0];
            if (r.mode == 5) v /= (A)r.gone_all;
            if (r.mode == 7) v = square_root(v);
            v *= (A)r.alpha;
            if (r.beta != 0) v += (A)r.beta * load(r.y, to, r.type_y);
            store(r.y, to, r.type_y, v);
        }
    }
}

// ---- spatial transformers ---------------------------------------------------------------------------------
// Where place i of `size` lies between -1 and 1, the middles of the corners; one place alone lies in the middle.
static __device__ A place_of(int i, int size) { return size > 1 ? (A)(2 * i - (size - 1)) / (A)(size - 1) : 0; }

// A grid's places (x, y), from a 2 x 3 matrix for each image.
extern "C" __global__ void grid_make(const transform t) {
    EACH(i, t.all) {
        const int64_t image = i / ((int64_t)t.out[0] * t.out[1]);
        const int row = (int)(i / t.out[1] % t.out[0]), column = (int)(i % t.out[1]);
        const A x = place_of(column, t.out[1]), y = place_of(row, t.out[0]);
        for (int e = 0; e < 2; e++) {
            const int64_t m = image * 6 + e * 3;
            put(t.grid, 2 * i + e, get(t.theta, m) * x + get(t.theta, m + 1) * y + get(t.theta, m + 2), 1, 0);
        }
    }
}
// The gradient of those matrices, a block for each element.
extern "C" __global__ __launch_bounds__(THREADS) void grid_back(const transform t) {
    const int places = t.out[0] * t.out[1], of = block_x % 6, e = of / 3, with = of % 3;
    const int64_t first = (int64_t)(block_x / 6) * places;
    A mine = 0;
    for (int i = thread_x; i < places; i += THREADS) {
        const A by = with == 0 ? place_of(i % t.out[1], t.out[1]) : with == 1 ? place_of(i / t.out[1], t.out[0]) : 1;
        mine += by * get(t.grid, 2 * (first + i) + e);
    }
    const A sum = block_sum(mine);
    if (thread_x == 0) put(t.theta, block_x, sum, 1, 0);
}

// The four elements around a place of the grid, their shares, and which of them there are.
struct corners {
    int64_t at[4];
    A share[4], x, y; // x, y: of the way from the first corner to the last
    bool is_there[4];
};
static __device__ corners corners_of(const transform &t, int64_t i) {
    corners c;
    const A x = (get(t.grid, 2 * i) + 1) / 2 * (t.in[1] - 1), y = (get(t.grid, 2 * i + 1) + 1) / 2 * (t.in[0] - 1);
    const A left = (A)__nvvm_floor_d((double)x), top = (A)__nvvm_floor_d((double)y);
    c.x = x - left;
    c.y = y - top;
    for (int e = 0; e < 4; e++) {
        const A column = left + e % 2, row = top + e / 2;
        c.is_there[e] = column >= 0 && column < t.in[1] && row >= 0 && row < t.in[0]; // compared before they become whole numbers
        c.at[e] = c.is_there[e] ? (int64_t)row * t.x_step[2] + (int64_t)column * t.x_step[3] : 0;
        c.share[e] = (e % 2 ? c.x : 1 - c.x) * (e / 2 ? c.y : 1 - c.y);
    }
    return c;
}
// The element of a place of image, row and column in a tensor, its first channel.
static __device__ int64_t out_at(const transform &t, int64_t i) {
    const int64_t places = (int64_t)t.out[0] * t.out[1];
    return i / places * t.y_step[0] + i / t.out[1] % t.out[0] * t.y_step[2] + i % t.out[1] * t.y_step[3];
}
extern "C" __global__ void grid_sample(const transform t) {
    EACH(i, t.all) {
        const corners c = corners_of(t, i);
        const int64_t image = i / ((int64_t)t.out[0] * t.out[1]) * t.x_step[0], to = out_at(t, i);
        for (int k = 0; k < t.channels; k++) {
            A sum = 0;
            for (int e = 0; e < 4; e++)
                if (c.is_there[e]) sum += c.share[e] * get(t.x, image + k * t.x_step[1] + c.at[e]);
            put(t.y, to + k * t.y_step[1], sum, t.alpha, t.beta);
        }
    }
}

// Adds to an element that other threads add to.
static __device__ void add_to(float *at, float v) { __nvvm_atom_add_gen_f(at, v); }
static __device__ void add_to(double *at, double v) {
    long long *const word = (long long *)at;
    for (long long old = *(volatile long long *)word, before;; old = before) {
        before = __nvvm_atom_cas_gen_ll(word, old, __builtin_bit_cast(long long, __builtin_bit_cast(double, old) + v));
        if (before == old) return;
    }
}
template <class H> static __device__ void add_to(H *at, float v) { // a half: with its neighbour
    const uintptr_t place = (uintptr_t)at;
    int *const word = (int *)(place & ~(uintptr_t)3);
    const int shift = place & 2 ? 16 : 0;
    for (int old = *(volatile int *)word, before;; old = before) {
        H sum;
        narrow(&sum, widen(__builtin_bit_cast(H, (uint16_t)((uint32_t)old >> shift)), float{}) + v);
        const uint32_t other = (uint32_t)old & ~(0xffffu << shift);
        before = __nvvm_atom_cas_gen_i(word, old, (int)(other | (uint32_t)__builtin_bit_cast(uint16_t, sum) << shift));
        if (before == old) return;
    }
}
// Gradients of what was sampled, to which `beta` was applied before, and of the grid. A thread has a place of the result.
extern "C" __global__ void grid_sample_back(const transform t) {
    EACH(i, t.all) {
        const corners c = corners_of(t, i);
        const int64_t n = i / ((int64_t)t.out[0] * t.out[1]), from = out_at(t, i);
        A to_x = 0, to_y = 0;
        for (int k = 0; k < t.channels; k++) {
            const A dy = get(t.dy, from + k * t.y_step[1]);
            for (int e = 0; e < 4; e++) {
                if (!c.is_there[e]) continue;
                const int64_t row = c.at[e];
                const A v = get(t.x, n * t.x_step[0] + k * t.x_step[1] + row);
                to_x += (e % 2 ? dy : -dy) * (e / 2 ? c.y : 1 - c.y) * v;
                to_y += (e / 2 ? dy : -dy) * (e % 2 ? c.x : 1 - c.x) * v;
                if (t.dx) add_to(&((T *)t.dx)[n * t.x_step[0] + k * t.x_step[1] + row], (A)t.alpha * c.share[e] * dy);
            }
        }
        if (t.dgrid) {
            put(t.dgrid, 2 * i, to_x * (t.in[1] - 1) / 2, t.alpha_grid, t.beta_grid);
            put(t.dgrid, 2 * i + 1, to_y * (t.in[0] - 1) / 2, t.alpha_grid, t.beta_grid);
        }
    }
}

// ---- graphs of any kind -----------------------------------------------------------------------------------
static __device__ bool compare(int mode, A x, A y) {
    switch (mode) {
    case CHOICE_EQ: return x == y;
    case CHOICE_NE: return x != y;
    case CHOICE_GT: return x > y;
    case CHOICE_GE: return x >= y;
    case CHOICE_LT: return x < y;
    default: return x <= y;
    }
}
// Comparisons, choices, and numbers of an element along an axis.
extern "C" __global__ void choices(const selection p) {
    EACH(i, p.all) {
        int64_t rest = i, a = 0, b = 0, c = 0, y = 0;
        int32_t at[LAYER_AXES];
#pragma unroll
        for (int axis = LAYER_AXES - 1; axis >= 0; axis--) {
            const int64_t q = rest / p.size[axis], e = rest - q * p.size[axis];
            at[axis] = (int32_t)e;
            a += e * p.step_a[axis];
            b += e * p.step_b[axis];
            c += e * p.step_c[axis];
            y += e * p.step_y[axis];
            rest = q;
        }
        A v;
        if (p.mode == CHOICE_INDEX) {
            int32_t index = 0;
#pragma unroll
            for (int axis = 0; axis < LAYER_AXES; axis++)
                if (axis == p.axis) index = at[axis];
            v = (A)index;
        } else if (p.mode == CHOICE_BAND) {
            // queries and keys are counted from their last ones on where lengths are given
            int32_t row = at[LAYER_AXES - 2], column = at[LAYER_AXES - 1];
            const int32_t more = (p.length_k ? ((const int32_t *)p.length_k)[at[LAYER_AXES - 4]] : 0) -
                                 (p.length_q ? ((const int32_t *)p.length_q)[at[LAYER_AXES - 4]] : 0);
            const bool is_in = p.left ? compare(p.comparison, (A)(column + (int32_t)load(p.left, 0, p.type_left) - more), (A)row)
                                      : compare(p.comparison, (A)(row + more + (p.right ? (int32_t)load(p.right, 0, p.type_right) : 0)), (A)column);
            v = is_in ? load(p.a, a, p.type_a) : load(p.b, b, p.type_b);
        } else {
            const A x = load(p.a, a, p.type_a), z = p.b ? load(p.b, b, p.type_b) : 0;
            v = p.mode == CHOICE_SELECT ? (load(p.c, c, p.type_c) != 0 ? x : z)
                : p.mode == CHOICE_AND  ? x != 0 && z != 0
                : p.mode == CHOICE_OR   ? x != 0 || z != 0
                : p.mode == CHOICE_NOT  ? x == 0
                                        : compare(p.mode, x, z);
        }
        store(p.y, y, p.type_y, v);
    }
}
// Whether element i is one with a probability (Philox, whose counter goes on from the offset).
static __device__ bool is_one(uint64_t seed, uint64_t offset, int64_t i, double probability) {
    uint32_t word[4];
    random_philox((*(const uint64_t *)offset + (uint64_t)i) / 4, 0, *(const uint64_t *)seed, word);
    return word[(*(const uint64_t *)offset + (uint64_t)i) % 4] * 0x1p-32 < probability;
}
extern "C" __global__ void draw_ones(const ones p) {
    EACH(i, p.all) {
        int64_t rest = i, y = 0;
#pragma unroll
        for (int axis = LAYER_AXES - 1; axis >= 0; axis--) {
            const int64_t q = rest / p.size[axis];
            y += (rest - q * p.size[axis]) * p.step_y[axis];
            rest = q;
        }
        store(p.y, y, p.type_y, (A)is_one(p.seed, p.offset, i, p.probability));
    }
}
// A row's probabilities from its scores, in T, and the logarithm of what they were divided by. A row without a key has none.
extern "C" __global__ __launch_bounds__(THREADS) void attention_softmax(const attention a) {
    __shared__ float held[THREADS];
    for (int64_t r = block_x; r < a.all; r += blocks_x) {
        const int row = (int)(r % a.rows), image = (int)(r / a.rows / a.heads), head = (int)(r / a.rows % a.heads);
        const int columns = a.length_k && ((const int32_t *)a.length_k)[image] < a.columns ? ((const int32_t *)a.length_k)[image] : a.columns;
        const bool is_there = !a.length_q || row < ((const int32_t *)a.length_q)[image];
        const float *const s = (const float *)a.scores + r * a.columns;
        const float none = -__builtin_inff();
        float most = none, sum = 0;
        for (int i = thread_x; is_there && i < columns; i += THREADS) most = s[i] > most ? s[i] : most;
        for (int step = 0; step < 2; step++) {
            barrier();
            held[thread_x] = step ? sum : most;
            barrier();
            for (int half = THREADS / 2; half; half /= 2) {
                if (thread_x < half) {
                    const float o = held[thread_x + half];
                    held[thread_x] = step ? held[thread_x] + o : o > held[thread_x] ? o : held[thread_x];
                }
                barrier();
            }
            if (step) {
                sum = held[0];
                continue;
            }
            most = held[0];
            for (int i = thread_x; is_there && i < columns; i += THREADS) sum += most > none ? exponential(s[i] - most) : s[i] == none ? 0 : s[i];
        }
        const float by = most > none ? 1 / sum : sum; // of a row of scores that are no numbers no number, of one that is hidden 0
        for (int i = thread_x; i < a.columns; i += THREADS) {
            A p = by != 0 && i < columns ? (A)(exponential(s[i] - most) * by) : 0;
            if (a.seed) p = is_one(a.seed, a.offset, r * a.columns + i, a.keep) ? p / (A)a.keep : 0;
            narrow(&((T *)a.probabilities)[r * a.columns + i], p);
        }
        if (thread_x == 0 && a.stats)
            ((float *)a.stats)[image * a.stats_image + head * a.stats_head + row * a.stats_row] = by != 0 ? most + logarithm(sum) : none;
    }
}
