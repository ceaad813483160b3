/* A sample. */

#include <stdio.h>
#include "point.h"

#define LIMIT 10
#define SQUARE(x) ((x) * (x))

#ifdef DEBUG
static int debug_level = 1;
#endif

extern int counter;
int total, *cursor;
static const char *names[] = { "a", "b" };

/* A point. */
struct point {
	int x;		/* across */
	int y;
	struct {
		char *text;
	} label;
	int (*area)(const struct point *self);
	unsigned flags : 3;
};

typedef struct point point_t;
typedef struct node {
	struct node *next;
} node;
typedef struct {
	int width, height;
} size_type;
typedef int (*callback)(void *data);

enum color {
	RED,
	GREEN = 5,
};

union value {
	int number;
	float real;
};

static int helper(int x);
struct point *point_new(int x, int y);

/*
 * Makes a point.
 */
struct point *point_new(int x, int y)
{
	struct point *made = malloc(sizeof(*made));
	int local = SQUARE(x);

	made->x = local;
	return made;
}

static inline int
helper(int x)
{
	return x + LIMIT;
}

#if defined(CONFIG_X)
void only_sometimes(void) { printf("x"); }
#endif

static const struct operations ops = {
	.open = point_new,
};
