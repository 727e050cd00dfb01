/* A bot for Ursuppe in C, with the standard library alone (docs/protocol.md).

       cc -O2 -o bot examples/bot.c
       ursuppe bot check ./bot
       ursuppe arena process:./bot hunter random random --games 100

   It drifts, and else takes the last of the legal actions, where meals, attacks and purchases are. All that it must read
   of a decision are its name and numbers: "game", and those in the list "ids", which a host writes after it. So it looks
   for these keys, and needs no parser. */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows a key, from here on; NULL where the key is not found. */
static const char *after(const char *text, const char *key) {
    const char *found = strstr(text, key);
    return found ? found + strlen(key) : NULL;
}

/* The number that follows the next colon. */
static long number(const char *text) {
    return strtol(strchr(text, ':') + 1, NULL, 10);
}

/* The first number in the list that follows. */
static long first_of(const char *text) {
    return strtol(strchr(text, '[') + 1, NULL, 10);
}

/* The last one. */
static long last_of(const char *text) {
    const char *start = strchr(text, '['), *end = strchr(start, ']');
    for (const char *sign = start; sign < end; sign++)
        if (*sign == ',')
            start = sign;
    return strtol(start + 1, NULL, 10);
}

static void decide(const char *line) {
    const char *separator = "";
    printf("{\"type\":\"action\",\"request\":%ld,\"actions\":[", number(after(line, "\"request\"")));
    for (const char *rest = after(line, "\"decisions\""); (rest = after(rest, "\"game\"")) != NULL;) {
        printf("%s{\"game\":%ld,", separator, number(rest));
        const char *name = strchr(strchr(after(rest, "\"decision\""), ':'), '"') + 1;
        rest = after(rest, "\"ids\"");
        printf("\"action\":%ld}", strncmp(name, "move\"", 5) == 0 ? first_of(rest) : last_of(rest));
        separator = ",";
    }
    printf("]}\n");
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *type = strchr(after(line, "\"type\""), ':');
        type = strchr(type, '"') + 1;
        if (strncmp(type, "hello", 5) == 0)
            printf("{\"type\":\"ready\",\"name\":\"Last\",\"sees\":[]}\n");
        else if (strncmp(type, "decide", 6) == 0)
            decide(line);
        else if (strncmp(type, "bye", 3) == 0)
            break;
        fflush(stdout);
    }
    free(line);
    return 0;
}
