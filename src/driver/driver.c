// The singleton: which calls may enter, and what statuses mean to the API. What the process needs
// beside that (the GPU's life, record, signals, forks, exits) is in the room `process`.
#include "driver/driver.h"

#include "driver/refuse.h"

static struct driver the;

struct driver *driver_get(void) {
    return &the;
}

// ---- start -------------------------------------------------------------------------------------
static void on_open(struct gpu *g) {
    the.gpu = g;
    the.config = process_config();
}
static void on_launch(const struct gpu_result *r) {
    if (r->fault.kind != FAULT_NONE) the.last_fault = r->fault.kind;
}
static bool may_finish(void) { return the.sticky == CUDA_SUCCESS; }

CUresult driver_init(void) {
    static const struct process_front front = {.opened = on_open,
                                               .launch_done = on_launch,
                                               .may_finish = may_finish,
                                               .forked = driver_pump_stopped};
    switch (process_open(&front)) {
    case PROCESS_OPEN: return CUDA_SUCCESS;
    case PROCESS_ENDED: return CUDA_ERROR_DEINITIALIZED;
    case PROCESS_FORKED: return CUDA_ERROR_NOT_INITIALIZED; // as the vendor's
    default: return CUDA_ERROR_NO_DEVICE;
    }
}

// ---- calls -------------------------------------------------------------------------------------
static CUresult may_enter(enum driver_need need) {
    if (process_is_called_out())
        return CUDA_ERROR_NOT_PERMITTED; // only the callback's own thread gets here
    const enum process_state state = process_state();
    if (state == PROCESS_ENDED) return CUDA_ERROR_DEINITIALIZED;
    if (need >= NEED_INIT && state != PROCESS_OPEN) return CUDA_ERROR_NOT_INITIALIZED;
    if (need < NEED_CONTEXT) return CUDA_SUCCESS;
    CUcontext c = driver_current();
    if (!c) return CUDA_ERROR_INVALID_CONTEXT;
    if (!driver_handle_live(TAG_CONTEXT, DRIVER_KEY(c))) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return the.sticky;
}

CUresult driver_enter(enum driver_need need, const char *call) {
    process_enter();
    process_call(call);
    const CUresult r = may_enter(need);
    return r == CUDA_SUCCESS ? r : driver_leave(r);
}

CUresult driver_leave(CUresult r) {
    process_leave();
    return r;
}

bool driver_move_on(void) {
    process_lock();
    const bool may =
        process_state() == PROCESS_OPEN && the.sticky == CUDA_SUCCESS && driver_has_calls();
    if (!may) driver_pump_stopped();
    // a fault is remembered, and said, by the next call that asks
    if (may) driver_result(gpu_synchronize(the.gpu, process_diags()));
    process_leave();
    return may;
}

// ---- results -----------------------------------------------------------------------------------
static CUresult fault_result(enum ww_status s) {
    switch (the.last_fault) {
    case FAULT_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FAULT_ASSERT: return CUDA_ERROR_ASSERT;
    case FAULT_TRAP: return CUDA_ERROR_LAUNCH_FAILED;
    case FAULT_STACK: return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case FAULT_BAD_CALL:
    case FAULT_BAD_BRANCH: return CUDA_ERROR_INVALID_PC;
    case FAULT_NONE:
        return s == WW_ERROR_TRAP ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS;
    default: return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
}

static CUresult result_of(enum ww_status s, bool is_launch) {
    process_report(s, is_launch);
    switch (s) {
    case WW_OK: return CUDA_SUCCESS;
    case WW_ERROR_DEVICE_MEMORY:
    case WW_ERROR_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case WW_ERROR_USAGE:
    case WW_ERROR_CONFIG:
    case WW_ERROR_LAUNCH: return CUDA_ERROR_INVALID_VALUE;
    case WW_ERROR_IO: return CUDA_ERROR_FILE_NOT_FOUND;
    case WW_ERROR_SYNTAX:
    case WW_ERROR_UNSUPPORTED: return CUDA_ERROR_INVALID_PTX;
    case WW_ERROR_ACCESS:
    case WW_ERROR_TRAP:
    case WW_ERROR_PROGRAM: return the.sticky = fault_result(s);
    case WW_ERROR_DEADLOCK:
    case WW_ERROR_LIMIT: return the.sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    case WW_ERROR_INTERRUPTED: // by a signal: driver_leave ends the process; or by exit()
        return CUDA_ERROR_DEINITIALIZED;
    default: return CUDA_ERROR_UNKNOWN;
    }
}

CUresult driver_result(enum ww_status s) { return result_of(s, false); }
CUresult driver_result_of_launch(enum ww_status s) { return result_of(s, true); }

CUresult driver_result_quiet(enum ww_status s) {
    if (s == WW_ERROR_DEVICE_MEMORY) process_forget();
    return driver_result(s);
}

CUresult driver_unsupported(const char *call) {
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s is not supported: it answers CUDA_ERROR_NOT_SUPPORTED",
             call);
    process_refuse(call, sentence);
    return CUDA_ERROR_NOT_SUPPORTED;
}

int driver_refuse(const char *call) { return (int)driver_unsupported(call); }
