/* Files cut into chunks, the footer of Parquet files, and the end of a job's directory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "check.h"
#include "files.h"
#include "parquet.h"
#include "scratch.h"
#include "split.h"

static char folder[] = "/tmp/quiver-split-XXXXXX";

/* version 1, a schema of one element, two rows, two empty row groups */
static const uint8_t footer[] = {0x15, 2, 0x19, 0x1c, 0x18, 1, 'a', 0, 0x16, 4, 0x19, 0x2c, 0, 0, 0};

static const char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t length) {
    int fd = open(path_of(name), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(write(fd, bytes, length) == (ssize_t)length);
    close(fd);
}

/* Whether these are the chunks; FOLDER stands for the folder. */
static bool chunks(const char *unit, const char *size, const char *name, const char *wanted) {
    char path[512], output[512], text[4096] = "", expected[4096] = "";
    strcpy(path, path_of(name));
    snprintf(output, sizeof output, "%s.out", folder);
    if (split_files(unit, size, path, output) != 0) {
        return false;
    }
    FILE *file = fopen(output, "r");
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    unlink(output);
    text[length] = 0;
    size_t at = 0;
    for (const char *from = wanted; *from != 0;) {
        bool here = strncmp(from, "FOLDER", 6) == 0;
        at += (size_t)snprintf(expected + at, sizeof expected - at, "%s", here ? folder : (char[]){*from, 0});
        from += here ? 6 : 1;
    }
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "got %s, wanted %s\n", text, expected);
        return false;
    }
    return true;
}

static void cuts_files_into_chunks(void) {
    put("a.txt", "1\n22\n333", 8);
    put("b\"\303\274.txt", "4\n", 2);
    put("empty", "", 0);
    put(".hidden", "x\n", 2);
    mkdir(path_of("sub"), 0700);
    put("sub/c", "5\n6\n", 4);
    CHECK(symlink("..", path_of("sub/up")) == 0);
    CHECK(chunks("lines", "2", "a.txt", "{\"path\":\"FOLDER/a.txt\",\"offset\":0,\"length\":5}\n"
                                        "{\"path\":\"FOLDER/a.txt\",\"offset\":5,\"length\":3}\n"));
    CHECK(chunks("bytes", "7", "a.txt", "{\"path\":\"FOLDER/a.txt\",\"offset\":0,\"length\":7}\n"
                                        "{\"path\":\"FOLDER/a.txt\",\"offset\":7,\"length\":1}\n"));
    CHECK(chunks("files", "3", "", "{\"paths\":[\"FOLDER/a.txt\",\"FOLDER/b\\\"\303\274.txt\",\"FOLDER/empty\"]}\n"
                                   "{\"paths\":[\"FOLDER/sub/c\"]}\n"));
    CHECK(chunks("lines", "9", "[ab]*.txt", "{\"path\":\"FOLDER/a.txt\",\"offset\":0,\"length\":8}\n"
                                            "{\"path\":\"FOLDER/b\\\"\303\274.txt\",\"offset\":0,\"length\":2}\n"));
    CHECK(chunks("lines", "1", "empty", "\n"));
}

static void refuses_what_it_cannot_cut(void) {
    CHECK(!chunks("lines", "1", "none", ""));
    CHECK(!chunks("lines", "0", "a.txt", "") && !chunks("words", "1", "a.txt", "") && !chunks("lines", "-1", "a.txt", ""));
    CHECK(!chunks("rowGroups", "1", "a.txt", ""));
    put("odd\377", "x", 1);
    CHECK(!chunks("files", "1", "odd*", ""));
    char *many = malloc(100001);
    memset(many, '\n', 100001);
    put("many", many, 100001);
    free(many);
    CHECK(!chunks("lines", "1", "many", ""));
}

static void counts_row_groups(void) {
    CHECK(parquet_row_groups(footer, sizeof footer) == 2);
    for (size_t i = 0; i < 12; i++) {
        CHECK(parquet_row_groups(footer, i) == -1);
    }
    /* An id of a field that the next one would exceed: the greatest of 64 bits, then 15 more. */
    CHECK(parquet_row_groups((uint8_t[]){0x02, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0xf2}, 12) == -1);
    uint8_t beyond[] = {0x02, 0xfe, 0xff, 0x03, 0x12, 0x09, 0x08, 0x2c, 0, 0}; /* field 32,767, 1 more, then the row groups */
    CHECK(parquet_row_groups(beyond, sizeof beyond) == -1);
    uint8_t whole[4 + sizeof footer + 8] = "PAR1";
    memcpy(whole + 4, footer, sizeof footer);
    memcpy(whole + 4 + sizeof footer, (uint8_t[]){sizeof footer, 0, 0, 0, 'P', 'A', 'R', '1'}, 8);
    put("t.parquet", whole, sizeof whole);
    CHECK(chunks("rowGroups", "1", "t.parquet", "{\"path\":\"FOLDER/t.parquet\",\"rowGroups\":[0]}\n"
                                                "{\"path\":\"FOLDER/t.parquet\",\"rowGroups\":[1]}\n"));
    CHECK(chunks("rowGroups", "5", "t.parquet", "{\"path\":\"FOLDER/t.parquet\",\"rowGroups\":[0,1]}\n"));
    whole[4 + sizeof footer] = 200; /* a footer that is longer than its file */
    put("t.parquet", whole, sizeof whole);
    CHECK(!chunks("rowGroups", "1", "t.parquet", ""));
}

static bool is_there(const char *name) { return access(path_of(name), F_OK) == 0; }

static void removes_the_directory_of_a_job(void) {
    char job[512];
    mkdir(path_of("scratch"), 0700);
    mkdir(path_of("scratch/job"), 0700);
    put("scratch/job/0-a-1.arrow", "x", 1);
    put("scratch/job/.1-b-2.arrow", "x", 1);
    strcpy(job, path_of("scratch/job"));
    CHECK(scratch_remove(job) == 0);
    CHECK(!is_there("scratch/job") && is_there("scratch/.over/job"));
    CHECK(scratch_remove(job) == 0);
    strcpy(job, path_of("none/job"));
    CHECK(scratch_remove(job) == 0);
    CHECK(scratch_remove(NULL) != 0 && scratch_remove("/") != 0 && scratch_remove("/a/.over") != 0 && scratch_remove("a/b") != 0);
}

static void forgets_jobs_that_ended_a_day_ago(void) {
    char job[512];
    struct utimbuf long_ago = {1, 1};
    put("scratch/.over/old", "", 0);
    mkdir(path_of("scratch/old"), 0700);
    put("scratch/old/late.arrow", "x", 1);
    CHECK(utime(path_of("scratch/.over/old"), &long_ago) == 0);
    strcpy(job, path_of("scratch/other"));
    CHECK(scratch_remove(job) == 0);
    CHECK(!is_there("scratch/.over/old") && !is_there("scratch/old"));
    CHECK(is_there("scratch/.over/job") && is_there("scratch/.over/other"));
}

void test_split(void) {
    CHECK(mkdtemp(folder) != NULL);
    cuts_files_into_chunks();
    refuses_what_it_cannot_cut();
    counts_row_groups();
    removes_the_directory_of_a_job();
    forgets_jobs_that_ended_a_day_ago();
    int tmp = open("/tmp", O_RDONLY | O_DIRECTORY);
    files_remove(tmp, folder + sizeof "/tmp/" - 1);
    close(tmp);
}
