// Rotations that make an element zero, as the reference BLAS defines them (rotg, rotmg). Read by C and by CUDA C.
#ifndef WW_LIBRARIES_ROTATE_H
#define WW_LIBRARIES_ROTATE_H

#ifdef __CUDA__
#define ROTATE         static __device__ inline
#define ROTATE_ROOT(x) __nvvm_sqrt_rn_d(x)
#else
#include <math.h>
#define ROTATE         static inline
#define ROTATE_ROOT(x) sqrt(x)
#endif

ROTATE double rotate_size(double x) { return x < 0 ? -x : x; }
// The length of (a, b), by the larger one, so that no square overflows.
ROTATE double rotate_length(double a, double b) {
    const double x = rotate_size(a), y = rotate_size(b), most = x > y ? x : y,
                 least = x > y ? y : x;
    if (most == 0 || most - most != 0) return x + y;
    return most * ROTATE_ROOT(1 + least / most * (least / most));
}
// (a, b) becomes (r, 0): a is r then, and b the number from which cosine and sine can be had again.
ROTATE void rotate_real(double *a, double *b, double *c, double *s) {
    const double x = rotate_size(*a), y = rotate_size(*b);
    if (x + y == 0) {
        *c = 1;
        *a = *b = *s = 0;
        return;
    }
    const double length = rotate_length(*a, *b), r = (x > y ? *a : *b) < 0 ? -length : length;
    *c = *a / r;
    *s = *b / r;
    *b = x > y ? *s : *c != 0 ? 1 / *c : 1;
    *a = r;
}
// The same of complex numbers, with a real cosine; b stays.
ROTATE void rotate_complex(double a[2], const double b[2], double *c, double s[2]) {
    const double x = rotate_length(a[0], a[1]), r = rotate_length(x, rotate_length(b[0], b[1]));
    if (x == 0) {
        *c = 0;
        s[0] = 1, s[1] = 0;
        a[0] = b[0], a[1] = b[1];
        return;
    }
    const double re = a[0] / x, im = a[1] / x, bx = b[0] / r, by = b[1] / r;
    *c = x / r;
    s[0] = re * bx + im * by;
    s[1] = im * bx - re * by;
    a[0] = re * r;
    a[1] = im * r;
}
// A modified rotation: p[0] says which of h11, h21, h12, h22 (p[1] to p[4]) are given. Factors are kept between 2^-24 and 2^24.
ROTATE void rotate_modified(double *d1, double *d2, double *x, double y, double p[5]) {
    const double by = 4096, most = by * by, least = 1 / most;
    double h11 = 0, h12 = 0, h21 = 0, h22 = 0, flag = -1;
    const double p2 = *d2 * y;
    if (*d1 >= 0 && p2 == 0) {
        p[0] = -2;
        return;
    }
    const double p1 = *d1 * *x, q1 = p1 * *x, q2 = p2 * y;
    if (*d1 < 0 || (rotate_size(q1) <= rotate_size(q2) && q2 < 0)) {
        *d1 = *d2 = *x = 0; // no such rotation
    } else if (rotate_size(q1) > rotate_size(q2)) {
        h21 = -y / *x;
        h12 = p2 / p1;
        const double u = 1 - h12 * h21;
        if (u > 0) {
            flag = 0;
            *d1 /= u;
            *d2 /= u;
            *x *= u;
        } else {
            h12 = h21 = 0;
            *d1 = *d2 = *x = 0;
        }
    } else {
        flag = 1;
        h11 = p1 / p2;
        h22 = *x / y;
        const double u = 1 + h11 * h22, old = *d1;
        *d1 = *d2 / u;
        *d2 = old / u;
        *x = y * u;
    }
    while (*d1 != 0 && (*d1 <= least || *d1 >= most)) {
        if (flag == 0) h11 = h22 = 1;
        if (flag > 0) h21 = -1, h12 = 1;
        flag = -1;
        const double f = *d1 <= least ? 1 / by : by;
        *d1 /= f * f;
        *x *= f;
        h11 *= f;
        h12 *= f;
    }
    while (*d2 != 0 && (rotate_size(*d2) <= least || rotate_size(*d2) >= most)) {
        if (flag == 0) h11 = h22 = 1;
        if (flag > 0) h21 = -1, h12 = 1;
        flag = -1;
        const double f = rotate_size(*d2) <= least ? 1 / by : by;
        *d2 /= f * f;
        h21 *= f;
        h22 *= f;
    }
    p[0] = flag;
    if (flag != 0) p[1] = h11, p[4] = h22;
    if (flag <= 0) p[2] = h21, p[3] = h12;
}

#endif
