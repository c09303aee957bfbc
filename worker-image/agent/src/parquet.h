/* The footer of a Parquet file, as far as its row groups are counted. */
#ifndef QUIVER_PARQUET_H
#define QUIVER_PARQUET_H

#include <stddef.h>
#include <stdint.h>

/* How many row groups a footer has (FileMetaData in Thrift's compact protocol); -1 for what is none. */
int64_t parquet_row_groups(const uint8_t *footer, size_t bytes);

#endif
