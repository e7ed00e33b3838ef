/*
 * sections.h - declared values: kinds whose stored form is a fixed list of sections, sums and the
 * parameters of models.  A constant array says what the sections are; creating, merging, building
 * and checking such values, and changing them in tests, follow from it.
 *
 * A declaration says of a section, in seven tags: its name, its element, how many rows and columns
 * it has, what its numbers may be, how two values are merged, and where in the accumulator it lies.
 * A section of a fixed shape lies in the accumulator itself (a double, an int64_t[3], a
 * tlv_digest); one whose shape depends on a size of the value is an array of its own, of which the
 * accumulator holds the pointer: of float64 and sparse sections doubles, of float32 ones floats.
 * What no tag can say is C, in the hooks.
 *
 * An accumulator may keep its sums otherwise, in hash tables, shifted or not packed yet: a kind
 * with the hook describe.  Its sections of no fixed shape are what describe says for the stored
 * form, and are merged by merge_own; what must be equal is of fixed shape.
 *
 * The state of a model is its parts: a struct with the sizes, a double for every number, a pointer
 * for every array, and the diagnostics.  Writing, reading and checking follow.
 *
 * Frames, in which sections are stored, are on floor 1 (frame.h).  The meaning of a section for
 * functions that read any model is in layout.h.
 */
#ifndef TENSORLV_SECTIONS_H
#define TENSORLV_SECTIONS_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

/* How many sizes a value may have. */
#define TLV_SIZES 11

/* Rows or columns: a fixed number, or one that follows from a size of the value. */
typedef enum tlv_dimension
{
	/* the sizes, which kinds give names of their own; a size is what the first section that is so
	 * tagged has */
	TLV_SIZE_1,
	TLV_SIZE_2,
	TLV_SIZE_3,
	TLV_SIZE_4,
	TLV_SIZE_5,
	TLV_SIZE_6,
	TLV_SIZE_7,
	TLV_SIZE_8,
	TLV_SIZE_9,
	TLV_SIZE_10,
	TLV_SIZE_11,
	TLV_PACKED_1,  /* n (n + 1) / 2 of size 1 */
	TLV_CUBES_1,   /* n (n + 1) (n + 2) / 6 of size 1 */
	TLV_2_TIMES_3, /* size 2 times size 3 */
	TLV_2_AND_1,   /* size 2 and one more */
	TLV_ONE,	   /* fixed from here on */
	TLV_THREE,	   /* an entry for every view */
	TLV_FOUR,	   /* powers 1 to 4 */
	TLV_DIGEST_ROW /* the columns of a digest */
} tlv_dimension;

typedef enum tlv_range
{
	TLV_ANY,		 /* finite */
	TLV_NONNEGATIVE, /* float64, float32, sparse */
	TLV_WHOLE,	 /* float64: 0 to 2^53 without a fraction; what would add up to more is TLV_LIMIT */
	TLV_COUNTED, /* float64: TLV_WHOLE, and not 0 */
	TLV_FLAG,	 /* float64: 0 or 1 */
	TLV_POSITIVE,	   /* int64: 1 to 2^31 - 1 */
	TLV_ASCENDING,	   /* int64: strictly */
	TLV_COLUMN_SHARES, /* float64: not negative, every column adds up to 1 */
	TLV_ROW_SHARES	   /* the same of every row */
} tlv_range;

typedef enum tlv_merge
{
	TLV_SUM,
	TLV_EQUAL, /* must be the same in both, byte by byte; an empty accumulator takes it over */
	TLV_OWN,   /* by the hook merge_own */
	/* of models, which are not merged: */
	TLV_KEPT, /* always there */
	TLV_GIVEN /* there unless its pointer is NULL */
} tlv_merge;

typedef struct tlv_declaration
{
	const char *name;
	tlv_element element;
	tlv_dimension rows;
	tlv_dimension columns;
	tlv_range range;
	tlv_merge merge;
	size_t offset; /* in the state */
} tlv_declaration;

/* The head of the state of a declared kind of sums. */
typedef struct tlv_declared
{
	tlv_accumulator base;
	/* The sizes are known and the arrays are allocated; of a kind with describe: what must be equal
	 * is known, from a constant of the aggregate or from the first value that was merged. */
	bool known;
	size_t sizes[TLV_SIZES];
	void *arrays; /* the block in which all arrays are */
} tlv_declared;

struct tlv_sections
{
	size_t state; /* bytes of the state, which begins with a tlv_declared unless it is a model's */
	uint8_t kind; /* code of the kind */
	size_t n;
	const tlv_declaration *list;
	/* What sizes may be. */
	size_t least[TLV_SIZES];
	size_t most[TLV_SIZES];
	/* Of models: where in the parts the sizes are, size_t each, and the pointer to diagnostics. */
	size_t size_at[TLV_SIZES];
	size_t diagnostics;
	/* Rows that wait enter the sums; before every merge and build.  May be NULL, as those below. */
	tlv_status (*flush)(tlv_context *ctx, tlv_accumulator *accumulator);
	/* The arrays have been allocated or have grown: pointers that follow from them. */
	tlv_status (*sized)(tlv_context *ctx, tlv_accumulator *accumulator);
	/* What sections must be of each other, of a frame that is as declared. */
	tlv_status (*check_more)(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes);
	/* Points the pointers of all sections of no fixed shape to what is stored, and sets their
	 * sizes; *owned gets what is freed after writing.  Arrays of such a kind are its own business:
	 * create and merge leave them alone. */
	tlv_status (*describe)(tlv_context *ctx, tlv_accumulator *accumulator, void **owned);
	/* Of a kind with describe: merge_own takes sums of the other sign, too, and describe leaves out
	 * what is gone (tlv_accumulator_subtract). */
	bool takes_away;
	/* Of a kind with sections that say TLV_OWN: they are sums, too, all but those of whole numbers
	 * (int64) and those that this list names, which NULL ends. */
	const char *const *no_sums;
	/* Merges the sections that say TLV_OWN, of a frame of the same sizes; of a kind with describe,
	 * of any sizes, before the sums of fixed shape are added. */
	tlv_status (*merge_own)(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame);
};

/*
 * An accumulator of a declared class.  sizes NULL: it is empty, and takes the sizes and what must
 * be equal from the first value that is merged; otherwise arrays are allocated, all zero.  Errors:
 * memory.
 */
extern tlv_status tlv_sections_create(tlv_context *ctx, const tlv_accumulator_class *class,
									  const size_t *sizes, tlv_accumulator **accumulator);

/* Gives a size of an accumulator another number: arrays of that size are zero then, and the others
 * what they were.  Errors: memory. */
extern tlv_status tlv_sections_resize(tlv_context *ctx, tlv_accumulator *accumulator,
									  tlv_dimension size, size_t n);

/* What must be equal, from a frame that has such sections: they, of those names and shapes. */
extern void tlv_sections_take(tlv_accumulator *accumulator, const tlv_frame *frame);

/* The members n and list, of a constant array. */
#define TLV_LIST(array) .n = sizeof(array) / sizeof((array)[0]), .list = (array)

/* The members of a class that is declared. */
#define TLV_DECLARED(list)                                                                         \
	.sections = (list), .merge = tlv_sections_merge, .build = tlv_sections_build

extern tlv_status tlv_sections_merge(tlv_context *ctx, tlv_accumulator *accumulator,
									 const tlv_frame *frame);
extern tlv_status tlv_sections_build(tlv_context *ctx, tlv_accumulator *accumulator,
									 tlv_frame_builder *builder);

/*
 * Of a kind with describe: requires that what must be equal is the same in both; an accumulator of
 * which it is not known takes it over.  Merging does it; a kind that subtracts by a function of its
 * own calls it.  Errors: TLV_BAD_PARAMETER.
 */
extern tlv_status tlv_sections_match(tlv_context *ctx, tlv_accumulator *accumulator,
									 const tlv_sections *sections, const tlv_frame *frame);

/*
 * The same of a kind whose values are of one of several forms, each with a declaration of its own
 * and all of accumulators that keep their sums otherwise: the kind's merge, build and check choose
 * the form.
 */
extern tlv_status tlv_sections_merge_form(tlv_context *ctx, tlv_accumulator *accumulator,
										  const tlv_sections *sections, const tlv_frame *frame);
extern tlv_status tlv_sections_build_form(tlv_context *ctx, tlv_accumulator *accumulator,
										  const tlv_sections *sections, tlv_frame_builder *builder);

/*
 * Whether a frame is what is declared: all sections and no other, in whatever order; their shapes,
 * the sizes, the ranges of the numbers; then check_more.  TLV_CORRUPT otherwise.
 */
extern tlv_status tlv_sections_check(tlv_context *ctx, const tlv_frame *frame,
									 const tlv_sections *sections);

/* The sizes of a frame that has been checked. */
extern void tlv_sections_sizes(const tlv_frame *frame, const tlv_sections *sections,
							   size_t sizes[TLV_SIZES]);

/* ---- models ---- */

/* Writes the parts as they are; *image is from the arena.  Errors: memory, numbers that are not
 * finite. */
extern tlv_status tlv_sections_write(tlv_context *ctx, const tlv_sections *sections,
									 const void *parts, void **image, size_t *size);

/* The parts of a frame that has been checked: they point into it; what it has not, and diagnostics,
 * are NULL. */
extern void tlv_sections_read(const tlv_frame *frame, const tlv_sections *sections, void *parts);

/* Requires numbers of a section none of which is below least, and every column of which, or every
 * row, adds up to 1: TLV_CORRUPT. */
extern tlv_status tlv_require_shares(tlv_context *ctx, const tlv_frame *frame, const char *name,
									 bool rows, double least);

/* Two whole numbers whose sum is still exact, at most 2^53: TLV_LIMIT otherwise, naming it. */
extern tlv_status tlv_require_whole_sum(tlv_context *ctx, const char *name, double a, double b);

/* Of n sums after others were taken away (NULL: of about 1) none may be negative but by rounding,
 * which becomes 0: TLV_BAD_DATA otherwise, naming them. */
extern tlv_status tlv_require_left(tlv_context *ctx, const char *name, size_t n,
								   const double *taken, double *left);

/* One more of what is counted: TLV_LIMIT where a sum would no longer be exact, naming it. */
static inline tlv_status
tlv_count_one(tlv_context *ctx, const char *name, double *count)
{
	if (*count >= 0x1p53)
		return tlv_require_whole_sum(ctx, name, *count, 2);
	++*count;
	return TLV_OK;
}

/* Requires that statistics are of that model, by the section "model": TLV_BAD_PARAMETER. */
extern tlv_status tlv_require_model(tlv_context *ctx, const tlv_frame *statistics,
									const tlv_frame *model);

#endif /* TENSORLV_SECTIONS_H */
