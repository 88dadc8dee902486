// SPDX-License-Identifier: MPL-2.0
//
// Which libzmq the process has loaded, on stderr, where run_packages.py checks it and no comparison sees it.
#pragma once

#include <stdio.h>
#include <string.h>

static inline void tell_library(void) {
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        if (path && (strstr(path, "/libzmq") || strstr(path, "/libzlink"))) {
            fprintf(stderr, "library: %s", path);
        }
    }
    if (maps) {
        fclose(maps);
    }
}
