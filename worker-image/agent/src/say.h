/* What the agent has to say to people. */
#ifndef QUIVER_SAY_H
#define QUIVER_SAY_H

/* Words on the container's stderr, prefixed "quiver-agent: ", in one line of at most 510 bytes. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
