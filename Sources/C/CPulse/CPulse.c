#include "CPulse.h"

#include <dlfcn.h>
#include <stdlib.h>

const cpulse_functions *cpulse_load(const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    cpulse_functions *functions = calloc(1, sizeof *functions);
    if (!functions) return NULL;
#define FIND(symbol) \
    if (!(functions->symbol = (__typeof__(functions->symbol))dlsym(handle, #symbol))) goto incomplete;
    CPULSE_FUNCTIONS(FIND)
#undef FIND
    return functions;
incomplete:
    free(functions);
    return NULL;
}
