/* SQLite under threads: one connection that all share (serialised by SQLite's own mutexes), and one connection each to
 * the same database, which wait for each other's locks. What it prints does not depend on the schedule.
 *
 *   sqlite THREADS ROWS [FILE]     without a file: a database in memory, with one connection
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static int rows;
static const char *file;
static sqlite3 *shared;

static void check(int status, sqlite3 *database, const char *what) {
    if (status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW) {
        fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
        exit(1);
    }
}

static sqlite3 *open_database(const char *name) {
    sqlite3 *database;
    check(sqlite3_open(name, &database), database, "open");
    sqlite3_busy_timeout(database, 1000000);
    return database;
}

static void *fills(void *number) {
    sqlite3 *database = file ? open_database(file) : shared;
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(database, "insert into t values (?, ?)", -1, &insert, NULL), database, "prepare");
    for (int row = 0; row < rows; row++) {
        sqlite3_bind_int(insert, 1, (int)(long)number);
        sqlite3_bind_int(insert, 2, row * row);
        check(sqlite3_step(insert), database, "insert");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    if (file)
        sqlite3_close(database);
    return NULL;
}

static int show(void *unused, int count, char **values, char **names) {
    (void)unused, (void)names;
    for (int column = 0; column < count; column++)
        printf("%s%c", values[column], column + 1 < count ? ' ' : '\n');
    return 0;
}

int main(int argc, char **argv) {
    pthread_t threads[16];
    int count = argc > 1 ? atoi(argv[1]) : 2;
    rows = argc > 2 ? atoi(argv[2]) : 3;
    file = argc > 3 ? argv[3] : NULL;
    if (count < 1 || count > 16)
        return 2;
    shared = open_database(file ? file : ":memory:");
    const char *start = "drop table if exists t; create table t (thread int, value int); create index i on t (value)";
    check(sqlite3_exec(shared, start, NULL, NULL, NULL), shared, "create");
    for (long number = 0; number < count; number++)
        pthread_create(&threads[number], NULL, fills, (void *)number);
    for (int number = 0; number < count; number++)
        pthread_join(threads[number], NULL);
    const char *query = "select thread, count(*), sum(value) from t group by thread; pragma integrity_check";
    check(sqlite3_exec(shared, query, show, NULL, NULL), shared, "select");
    sqlite3_close(shared);
    return 0;
}
