// Behind the rows that rows.h stands before.
#undef ACT
#undef ACTV
