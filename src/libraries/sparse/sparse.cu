// Sparse matrices: products with dense ones and with each other, triangles, sums, sorting, from one form to another. All sums are
// made in an order that does not depend on time. The file is compiled once for each type: ELEMENT, and SUM of what is added up.
#include "rows.h"

// ---- products with dense matrices -----------------------------------------------------------------------
// y = alpha a x + beta y: a thread for each element of y.
extern "C" __global__ void times_matrix(const sparse s) {
    EACH(i, s.a.rows * s.n) {
        const int64_t row = i / s.n, j = i % s.n, end = get(s.a.offsets, row + 1);
        A sum = {};
        for (int64_t e = get(s.a.offsets, row); e < end; e++) mad(&sum, value_of(s.a, e), dense_at(s.x, get(s.a.column, e), j, block_z));
        result(s, (T *)s.y.at + row * s.y.row + j * s.y.column + block_z * s.y.batch, sum);
    }
}
// One column: a team of threads for each row.
extern "C" __global__ __launch_bounds__(THREADS) void times_vector(const sparse s) {
    __shared__ A held[THREADS];
    const int team = thread_x / TEAM, lane = thread_x % TEAM;
    for (int64_t first = (int64_t)block_x * TEAMS; first < s.a.rows; first += (int64_t)blocks_x * TEAMS) {
        const int64_t row = first + team;
        A sum = {};
        if (row < s.a.rows) {
            const int64_t end = get(s.a.offsets, row + 1);
            for (int64_t e = get(s.a.offsets, row) + lane; e < end; e += TEAM)
                mad(&sum, value_of(s.a, e), dense_at(s.x, get(s.a.column, e), 0, block_z));
        }
        held[thread_x] = sum;
        barrier();
        for (int half = TEAM / 2; half; half /= 2) {
            if (lane < half) add(&held[thread_x], held[thread_x + half]);
            barrier();
        }
        if (lane == 0 && row < s.a.rows) result(s, (T *)s.y.at + row * s.y.row + block_z * s.y.batch, held[thread_x]);
        barrier();
    }
}
// c's elements: alpha (x y)(row, column) + beta c, of k products each.
extern "C" __global__ void sampled_product(const sparse s) {
    EACH(e, s.c.count) {
        const int64_t row = row_of(s.c, e), column = get(s.c.column, e);
        A sum = {};
        for (int64_t k = 0; k < s.k; k++) mad(&sum, dense_at(s.x, row, k, 0), dense_at(s.y, k, column, 0));
        result(s, (T *)s.c.values + e, sum);
    }
}
// Solves a y = alpha x for a triangle, row after row; a block for each right-hand side. Elements of the other triangle are not read.
extern "C" __global__ __launch_bounds__(TEAM) void solve_rows(const sparse s) {
    __shared__ A held[TEAM], diagonal;
    const int64_t j = block_x;
    const A alpha = factor(A{}, s.alpha, s.alpha_at, false);
    for (int64_t r = 0; r < s.a.rows; r++) {
        const int64_t row = s.is_upper ? s.a.rows - 1 - r : r, end = get(s.a.offsets, row + 1);
        A sum = {};
        for (int64_t e = get(s.a.offsets, row) + thread_x; e < end; e += TEAM) {
            const int64_t column = get(s.a.column, e);
            if (column == row) diagonal = value_of(s.a, e);
            if (s.is_upper ? column > row : column < row) mad(&sum, value_of(s.a, e), dense_at(s.y, column, j, 0));
        }
        held[thread_x] = sum;
        barrier();
        if (thread_x == 0) {
            const double minus_one[2] = {-1, 0};
            A v = {}, known = {};
            for (int i = 0; i < TEAM; i++) add(&known, held[i]);
            mad(&v, alpha, dense_at(s.x, row, j, 0));
            mad(&v, value(A{}, minus_one), known);
            if (!s.is_unit) v = quotient(v, diagonal);
            narrow((T *)s.y.at + row * s.y.row + j * s.y.column, v);
        }
        barrier();
    }
}

// ---- order ------------------------------------------------------------------------------------------------
// offsets[r]: the first element of row r, of rows that ascend.
extern "C" __global__ void find_offsets(const sparse s) {
    EACH(r, s.a.rows + 1) put(s.c.offsets, r, place_of(s.a.row, s.a.count, r));
}
extern "C" __global__ void spread_offsets(const sparse s) {
    EACH(e, s.a.count) put(s.c.row, e, row_of(s.a, e));
}
extern "C" __global__ void count_up(const sparse s) {
    EACH(i, s.n) put(s.c.column, i, i);
}
extern "C" __global__ void clear_list(const sparse s) {
    EACH(i, s.n) wide(s.offsets, i) = 0;
}
DEVICE int64_t key_of(const sparse &s, int64_t e) { return s.keys_are_rows ? row_of(s.a, e) : get(s.a.column, e); }
extern "C" __global__ void bucket_count(const sparse s) {
    EACH(e, s.a.count) __nvvm_atom_add_gen_ll((long long *)&wide(s.offsets, key_of(s, e)), 1);
}
// n numbers become the sums of those before them; all of them is behind the last. A block alone.
extern "C" __global__ __launch_bounds__(THREADS) void scan(const sparse s) {
    __shared__ int64_t held[THREADS];
    int64_t before = 0;
    for (int64_t first = 0; first < s.n; first += THREADS) {
        const int64_t i = first + thread_x, mine = i < s.n ? wide(s.offsets, i) : 0;
        held[thread_x] = mine;
        barrier();
        for (int far = 1; far < THREADS; far *= 2) {
            const int64_t other = thread_x >= far ? held[thread_x - far] : 0;
            barrier();
            held[thread_x] += other;
            barrier();
        }
        if (i < s.n) {
            wide(s.offsets, i) = before + held[thread_x] - mine;
            if (s.cursors) wide(s.cursors, i) = before + held[thread_x] - mine;
        }
        before += held[THREADS - 1];
        barrier();
    }
    if (thread_x == 0) wide(s.offsets, s.n) = before;
}
extern "C" __global__ void bucket_fill(const sparse s) {
    EACH(e, s.a.count) wide(s.order, __nvvm_atom_add_gen_ll((long long *)&wide(s.cursors, key_of(s, e)), 1)) = e;
}
// Elements of a bucket in the order of their columns (where keys are rows) and then of their places; a block for each bucket.
extern "C" __global__ void bucket_sort(const sparse s) {
    for (int64_t bucket = block_x; bucket < s.n; bucket += blocks_x) {
        const int64_t from = wide(s.offsets, bucket), to = wide(s.offsets, bucket + 1);
        for (int64_t i = from + thread_x; i < to; i += threads_x) {
            const int64_t e = wide(s.order, i), key = s.keys_are_rows ? get(s.a.column, e) : 0;
            int64_t rank = from;
            for (int64_t k = from; k < to; k++) {
                const int64_t o = wide(s.order, k), other = s.keys_are_rows ? get(s.a.column, o) : 0;
                rank += other < key || (other == key && o < e);
            }
            wide(s.order_out, rank) = e;
            if (s.rows_out) wide(s.rows_out, rank) = s.keys_are_rows ? key : row_of(s.a, e);
        }
    }
}
// Lists of the work area as a program has them: n numbers.
extern "C" __global__ void list_out(const sparse s) {
    EACH(i, s.n) put(s.c.column, i, wide(s.order, i));
}
// c.column[i] = b.column[order[i]].
extern "C" __global__ void pick_list(const sparse s) {
    EACH(i, s.n) put(s.c.column, i, get(s.b.column, wide(s.order, i)));
}
extern "C" __global__ void pick_values(const sparse s) {
    EACH(i, s.n) ((T *)s.c.values)[i] = ((const T *)s.a.values)[wide(s.order, i)];
}

// ---- dense and sparse -----------------------------------------------------------------------------------------
extern "C" __global__ void fill_dense(const sparse s) {
    EACH(i, s.a.rows * s.a.columns) ((T *)s.y.at)[i / s.a.columns * s.y.row + i % s.a.columns * s.y.column] = T{};
}
extern "C" __global__ void to_dense(const sparse s) {
    EACH(e, s.a.count) ((T *)s.y.at)[row_of(s.a, e) * s.y.row + get(s.a.column, e) * s.y.column] = ((const T *)s.a.values)[e];
}
extern "C" __global__ void count_dense(const sparse s) {
    EACH(r, s.c.rows) {
        int64_t n = 0;
        for (int64_t j = 0; j < s.c.columns; j++) n += !is_zero(dense_at(s.x, r, j, 0));
        wide(s.offsets, r) = n;
    }
}
extern "C" __global__ void take_dense(const sparse s) {
    EACH(r, s.c.rows) {
        int64_t e = wide(s.offsets, r);
        for (int64_t j = 0; j < s.c.columns; j++) {
            const T x = ((const T *)s.x.at)[r * s.x.row + j * s.x.column];
            if (is_zero(widen(x, A{}))) continue;
            put(s.c.column, e, j);
            if (s.c.row.at) put(s.c.row, e, r);
            ((T *)s.c.values)[e++] = x;
        }
    }
}

// ---- sparse times sparse: products of a row are listed, and those of one column added ----------------------------
extern "C" __global__ void count_products(const sparse s) {
    EACH(r, s.a.rows) {
        int64_t n = 0;
        for (int64_t e = get(s.a.offsets, r); e < get(s.a.offsets, r + 1); e++) {
            const int64_t k = get(s.a.column, e);
            n += get(s.b.offsets, k + 1) - get(s.b.offsets, k);
        }
        wide(s.offsets, r) = n;
    }
}
extern "C" __global__ void list_products(const sparse s) {
    EACH(r, s.a.rows) {
        int64_t to = wide(s.offsets, r);
        for (int64_t e = get(s.a.offsets, r); e < get(s.a.offsets, r + 1); e++) {
            const int64_t k = get(s.a.column, e);
            for (int64_t f = get(s.b.offsets, k); f < get(s.b.offsets, k + 1); f++, to++) {
                A v = {};
                mad(&v, value_of(s.a, e), value_of(s.b, f));
                wide(s.order, to) = get(s.b.column, f);
                ((A *)s.values_out)[to] = v;
            }
        }
    }
}
// How many columns a row has (cursors), and for each product which of these is its: -1 where an earlier product has the column.
extern "C" __global__ void rank_products(const sparse s) {
    __shared__ int firsts;
    for (int64_t r = block_x; r < s.a.rows; r += blocks_x) {
        const int64_t from = wide(s.offsets, r), to = wide(s.offsets, r + 1);
        barrier();
        if (thread_x == 0) firsts = 0;
        barrier();
        for (int64_t i = from + thread_x; i < to; i += threads_x) {
            const int64_t column = wide(s.order, i);
            bool is_first = true;
            for (int64_t k = from; k < i && is_first; k++) is_first = wide(s.order, k) != column;
            wide(s.order_out, i) = is_first ? 0 : -1;
            if (is_first) __nvvm_atom_add_gen_i(&firsts, 1);
        }
        barrier();
        for (int64_t i = from + thread_x; i < to; i += threads_x) {
            if (wide(s.order_out, i) < 0) continue;
            int64_t rank = 0;
            for (int64_t k = from; k < to; k++) rank += wide(s.order_out, k) >= 0 && wide(s.order, k) < wide(s.order, i);
            wide(s.rows_out, i) = rank;
        }
        if (thread_x == 0) wide(s.cursors, r) = firsts;
    }
}
// c's row: alpha times the sums. Its offsets are in `cursors`.
extern "C" __global__ void add_products(const sparse s) {
    const A alpha = factor(A{}, s.alpha, s.alpha_at, false);
    EACH(r, s.a.rows + 1) {
        put(s.c.offsets, r, wide(s.cursors, r));
        if (r == s.a.rows) continue;
        const int64_t from = wide(s.offsets, r), to = wide(s.offsets, r + 1), first = wide(s.cursors, r);
        for (int64_t i = from; i < to; i++) {
            if (wide(s.order_out, i) < 0) continue;
            A sum = {}, v = {};
            for (int64_t k = i; k < to; k++)
                if (wide(s.order, k) == wide(s.order, i)) add(&sum, ((const A *)s.values_out)[k]);
            mad(&v, alpha, sum);
            put(s.c.column, first + wide(s.rows_out, i), wide(s.order, i));
            narrow((T *)s.c.values + first + wide(s.rows_out, i), v);
        }
    }
}

// ---- sums: c = alpha a + beta b, columns ascending in both -----------------------------------------------------
template <class F> DEVICE int64_t merge(const sparse &s, int64_t r, F each) {
    int64_t i = get(s.a.offsets, r), k = get(s.b.offsets, r), n = 0;
    const int64_t i_end = get(s.a.offsets, r + 1), k_end = get(s.b.offsets, r + 1);
    for (; i < i_end || k < k_end; n++) {
        const int64_t x = i < i_end ? get(s.a.column, i) : INT64_MAX, y = k < k_end ? get(s.b.column, k) : INT64_MAX;
        each(n, x <= y ? i : -1, y <= x ? k : -1, x < y ? x : y);
        i += x <= y;
        k += y <= x;
    }
    return n;
}
extern "C" __global__ void count_sum(const sparse s) {
    EACH(r, s.a.rows) wide(s.offsets, r) = merge(s, r, [](int64_t, int64_t, int64_t, int64_t) {});
}
extern "C" __global__ void offsets_out(const sparse s) {
    EACH(r, s.n) put(s.c.offsets, r, wide(s.offsets, r));
}
extern "C" __global__ void make_sum(const sparse s) {
    const A alpha = factor(A{}, s.alpha, s.alpha_at, false), beta = factor(A{}, s.beta, s.beta_at, false);
    EACH(r, s.a.rows) {
        const int64_t first = get(s.c.offsets, r);
        merge(s, r, [&](int64_t n, int64_t i, int64_t k, int64_t column) {
            A v = {};
            if (i >= 0) mad(&v, alpha, value_of(s.a, i));
            if (k >= 0) mad(&v, beta, value_of(s.b, k));
            put(s.c.column, first + n, column);
            narrow((T *)s.c.values + first + n, v);
        });
    }
}
