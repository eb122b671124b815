// Between the files that write a record (record.c, record_code.c).
#ifndef WW_RECORD_INT_H
#define WW_RECORD_INT_H

#include "report/report.h"

// The line {"type":"code","id":...}: a kernel's machine code and the PTX lines it came from. Each
// launch that counted by instruction names it by its id. New reference.
json_t *record_code_json(const struct code_image *im, uint64_t id);

#endif
