/* libzstd under threads: compresses standard input with workers of the library's own, has several threads decompress the
 * result, each with its own context, and writes the compressed bytes to standard output.
 *
 *   zstd WORKERS READERS LEVEL
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zstd.h"

static char *input, *packed;
static size_t input_size, packed_size;

static void *reads(void *unused) {
    char *output = malloc(input_size + 1);
    size_t size = ZSTD_decompress(output, input_size, packed, packed_size);
    if (ZSTD_isError(size) || size != input_size || memcmp(output, input, size) != 0) {
        fprintf(stderr, "what was unpacked is not what was packed\n");
        exit(1);
    }
    free(output);
    return unused;
}

static size_t check(size_t result) {
    if (ZSTD_isError(result)) {
        fprintf(stderr, "%s\n", ZSTD_getErrorName(result));
        exit(1);
    }
    return result;
}

static void read_input(void) {
    size_t room = 1 << 16, got;
    input = malloc(room);
    while ((got = fread(input + input_size, 1, room - input_size, stdin)) > 0) {
        input_size += got;
        if (input_size == room)
            input = realloc(input, room *= 2);
    }
}

int main(int argc, char **argv) {
    pthread_t threads[16];
    int workers = argc > 1 ? atoi(argv[1]) : 2, readers = argc > 2 ? atoi(argv[2]) : 2;
    if (readers < 0 || readers > 16)
        return 2;
    read_input();
    packed = malloc(ZSTD_compressBound(input_size));
    ZSTD_CCtx *context = ZSTD_createCCtx();
    check(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, argc > 3 ? atoi(argv[3]) : 1));
    check(ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, workers));
    check(ZSTD_CCtx_setParameter(context, ZSTD_c_jobSize, 1));
    check(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
    packed_size = check(ZSTD_compress2(context, packed, ZSTD_compressBound(input_size), input, input_size));
    ZSTD_freeCCtx(context);
    for (int reader = 0; reader < readers; reader++)
        pthread_create(&threads[reader], NULL, reads, NULL);
    for (int reader = 0; reader < readers; reader++)
        pthread_join(threads[reader], NULL);
    return fwrite(packed, 1, packed_size, stdout) == packed_size ? 0 : 1;
}
