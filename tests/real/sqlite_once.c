/* SQLite: two threads share a connection, and each inserts a row if there is none. Each call is safe by itself; between
 * two of them the other thread may have inserted its row. */
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>

static sqlite3 *database;
static sqlite3_stmt *questions[2], *insertions[2];

static void *insert_once(void *number)
{
    long own = (long)number;
    if (sqlite3_step(questions[own]) == SQLITE_DONE)
        assert(sqlite3_step(insertions[own]) == SQLITE_DONE);
    return NULL;
}

int main(void)
{
    pthread_t other;
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    assert(sqlite3_open(":memory:", &database) == SQLITE_OK);
    assert(sqlite3_exec(database, "CREATE TABLE t (x)", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        sqlite3_prepare_v2(database, "SELECT 1 FROM t", -1, &questions[i], NULL);
        sqlite3_prepare_v2(database, "INSERT INTO t VALUES (1)", -1, &insertions[i], NULL);
    }
    pthread_create(&other, NULL, insert_once, (void *)1);
    insert_once((void *)0);
    pthread_join(other, NULL);
    printf("%d\n", sqlite3_total_changes(database));
    assert(sqlite3_total_changes(database) == 1);
    return 0;
}
