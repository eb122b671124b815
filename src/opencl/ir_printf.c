// printf in IR (ir.h).
#include <stdlib.h>
#include <string.h>

#include "ir.h"

char *ir_with_printf(const char *ir) { return strdup(ir); }
