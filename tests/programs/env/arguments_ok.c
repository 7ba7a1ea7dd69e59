/* rscale-test
 * verdict: clean
 * arguments: 3 "two words" ''
 * outcomes: 0:"4 3|two words|\n"
 *
 * Arguments arrive as they are.
 */
#include <stdio.h>

int main(int count, char **arguments) {
    printf("%d", count);
    for (int i = 1; i < count; i++)
        printf("%c%s", i == 1 ? ' ' : '|', arguments[i]);
    printf("\n");
    return 0;
}
