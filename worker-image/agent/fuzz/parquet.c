/* Footers of Parquet files, which anybody may have written. */
#include <stdlib.h>

#include "parquet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int64_t groups = parquet_row_groups(data, size);
    if (groups < -1 || groups > (int64_t)size) {
        abort();
    }
    return 0;
}
