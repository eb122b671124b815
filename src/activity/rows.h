// Rows of counters as constants of an enum: included in front of them, and rows_end.h behind them. No guard: the
// header of each room includes both.
#define ACT(name, unit, component, prose) ACT_##name,
#define ACTV(name, n, unit, component, prose) ACT_##name, ACT_##name##_end = ACT_##name + (n) - 1,
