/* Loads libquiver.so into this process, of whatever libc: `load PATH`. Every symbol must resolve, and calls work. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: load PATH");
        return 1;
    }
    uint32_t (*version)(void);
    void *(*open_slot)(char *words, uint32_t room);
    *(void **)&version = dlsym(library, "qv_version");
    *(void **)&open_slot = dlsym(library, "qv_handler_open");
    char words[256] = "";
    if (version == NULL || open_slot == NULL || version() >> 16 != 1 || open_slot(words, sizeof words) != NULL
        || strstr(words, "QUIVER_IN") == NULL) {
        fprintf(stderr, "libquiver.so does not work here: %s\n", words);
        return 1;
    }
    return 0;
}
