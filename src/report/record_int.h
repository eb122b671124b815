// Between the files that write a record (record.c, record_code.c).
#ifndef WW_RECORD_INT_H
#define WW_RECORD_INT_H

#include <assert.h>

#include "base/sum.h"
#include "report/report.h"

// Each line ends with the checksum of all bytes of the file that stand before `,"sum":` of it.
#define RECORD_SUM_FORMAT ",\"sum\":\"%s\"}\n"
enum { RECORD_FORMAT = 2, RECORD_SUM_BYTES = 27 };
static_assert(sizeof RECORD_SUM_FORMAT - 1 - 2 + SUM_TEXT_BYTES - 1 == RECORD_SUM_BYTES,
              "the reader looks for a sum so long");

struct code_image;
// The line {"type":"code","id":...}: a kernel's machine code and the PTX lines it came from. Each
// launch that counted by instruction names it by its id. New reference.
json_t *record_code_json(const struct code_image *im, uint64_t id);

#endif
