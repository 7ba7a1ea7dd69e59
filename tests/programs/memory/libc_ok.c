/* rscale-test
 * verdict: clean
 * flags: -fno-builtin -w
 *
 * Functions of libc do what they should also where a part of what they work on is a scheduling point: the other thread
 * reads one byte in the middle of the buffer, which splits every copy and search.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static char shared[64];
static char other[64];
static volatile char seen;

static void *looks(void *unused) {
    seen = shared[7];
    return unused;
}

static int compare(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}

static void bytes(void) {
    memset(shared, 'x', 32);
    assert(shared[0] == 'x' && shared[7] == 'x' && shared[31] == 'x' && !shared[32]);
    assert(memcpy(shared, "0123456789abcdef", 17) == shared && !strcmp(shared, "0123456789abcdef"));
    assert(memcpy(other, shared, 17) == other && !memcmp(other, "0123456789abcdef", 17));
    memmove(shared + 2, shared, 15);
    assert(!memcmp(shared, "010123456789abcde", 17));
    memmove(shared, shared + 2, 15);
    assert(!memcmp(shared, "0123456789abcdede", 17));
    assert(mempcpy(shared, "zyxwvutsrq", 11) == shared + 11 && !strcmp(shared, "zyxwvutsrq"));
    bcopy(shared + 1, shared, 10);
    assert(!strcmp(shared, "yxwvutsrq"));
    assert(memccpy(shared, "abcdefghij", 'i', 10) == shared + 9 && !memccpy(other, shared, '!', 9));
    assert(memchr(shared, 'h', 32) == shared + 7 && memrchr(shared, 'h', 32) == shared + 7);
    assert(rawmemchr(shared, 'i') == shared + 8 && memmem(shared, 32, "ghi", 3) == shared + 6);
    bzero(shared, 32);
    assert(!shared[7] && !shared[8] && !shared[0]);
}

static void strings(void) {
    char *place, *end;
    assert(strcpy(shared, "hello, world") == shared && strlen(shared) == 12 && strnlen(shared, 9) == 9);
    assert(stpcpy(shared, "hello, world") == shared + 12 && !strcmp(shared, "hello, world"));
    assert(strncpy(other, shared, 20) == other && !strcmp(other, shared) && !other[19]);
    assert(stpncpy(shared, other, 30) == shared + 12);
    assert(strcat(shared, "!") == shared && !strcmp(strncat(shared, "??????", 2), "hello, world!??"));
    assert(strncmp(shared, other, 12) == 0 && strcmp(shared, other) > 0 && strcasecmp(other, "HELLO, WORLD") == 0);
    assert(strchr(shared, 'w') == shared + 7 && strrchr(shared, 'o') == shared + 8 && *strchrnul(shared, '#') == 0);
    assert(strstr(shared, "wor") == shared + 7 && strcasestr(shared, "WOR") == shared + 7);
    assert(strspn(shared, "hello, w") == 9 && strcspn(shared, "w") == 7 && strpbrk(shared, "xyzw") == shared + 7);
    char *copy = strdup(shared), *part = strndup(shared, 9);
    assert(!strcmp(copy, "hello, world!??") && !strcmp(part, "hello, wo"));
    free(copy);
    free(part);
    assert(!strcmp(strtok_r(shared, ", ", &place), "hello") && !strcmp(strtok_r(NULL, ", ", &place), "world!??"));
    strcpy(shared, "12345 67890x");
    assert(strtol(shared + 6, &end, 10) == 67890 && *end == 'x' && atoi(shared) == 12345 && strtod(shared, NULL) == 12345);
}

static void formatted(void) {
    int first, second, position;
    char word[8];
    assert(sprintf(shared, "%d %s %.1f %5.3s|%n%c", 42, "text", 2.5, "abcdef", &position, 'z') == 19 && position == 18);
    assert(!strcmp(shared, "42 text 2.5   abc|z"));
    assert(snprintf(shared, 10, "%s-%ld", "abcdef", 123456L) == 13 && !strcmp(shared, "abcdef-12"));
    assert(snprintf(other, sizeof other, "<%s>", shared) == 11 && !strcmp(other, "<abcdef-12>"));
    strcpy(shared, "17 word 4");
    assert(sscanf(shared, "%d %7s %d", &first, word, &second) == 3 && first == 17 && second == 4 && !strcmp(word, "word"));
    assert(sscanf("77777777 rest", "%63s", shared) == 1 && !strcmp(shared, "77777777"));
    strcpy(shared, "hgfedcba");
    qsort(shared, 8, 1, compare);
    assert(!strcmp(shared, "abcdefgh"));
}

static void wide(void) {
    wchar_t *text = (wchar_t *)shared, *copy = (wchar_t *)other;
    assert(wcscpy(text, L"wide") == text && wcslen(text) == 4 && wcscmp(text, L"wide") == 0);
    assert(wcscat(text, L" text") == text && wcschr(text, L't') == text + 5 && wmemcmp(text, L"wide text", 9) == 0);
    assert(wcsncpy(copy, text, 12) == copy && !copy[11] && wcscmp(copy, text) == 0);
    assert(wmemset(text, L'q', 5) == text && text[1] == L'q' && text[4] == L'q' && text[5] == L't');
    assert(wmemmove(text + 1, copy, 4) == text + 1 && text[1] == L'w' && wmemcpy(text, copy, 4) == text);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, looks, NULL);
    bytes();
    strings();
    formatted();
    wide();
    pthread_join(thread, NULL);
    return 0;
}
