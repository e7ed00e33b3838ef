/*
 * categories.h - tables of pairs, and where they fit of triples, of categorical variables
 * with missing values, in one pass: what latent trees are learned from.
 *
 * A row holds p values, one for every variable: a state from 0 to 99, or -1 for missing.  A
 * variable has as many states as its largest value says, plus one.
 *
 * The stored value (kind category_moments): scalars "rows", "nulls", "variables" (p), "missing"
 * (values), "most_states" (the largest of "states"), "triples_kept" (0 or 1); "states" (p: 1 + the
 * largest value seen, 0 when all are missing); "singles" (sum of states: counts, variable after
 * variable); "pairs" (the tables of all a < b, in lexicographic order of (a, b), states[a] x
 * states[b] with b's state running fastest: counts of the rows in which both are present);
 * "triples" (the same of all a < b < c; missing when they were too many, TLV_CATEGORY_MOST_TRIPLES,
 * in any part of the data: once dropped, they do not come back); with bootstrap "replicates"
 * (scalar R, >= 1), "part_rows" (R) and "part_pairs", "part_singles" (as above, x R: counts of R
 * parts that the rows are dealt to).  Of NULL rows alone, p is 0 and there are scalars only.
 *
 * Categories may be identified by name: a row of codes with names, whose codes only say what is
 * missing.  The stored value then has "name_offsets" and "names" (names.h; of all states, those of
 * a variable ascending byte by byte), and the states of a variable are its names in their order.
 *
 * The room counts.  It fits nothing: trees are in tree_parameters.h, latent classes and mixed
 * membership in membership.h, and three categories that are the views of one choice in views.h.
 */
#ifndef TENSORLV_CATEGORY_MOMENTS_H
#define TENSORLV_CATEGORY_MOMENTS_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/names.h"
#include "tensorlv/num/rng.h"

#define TLV_CATEGORY_MISSING	 (-1)
#define TLV_CATEGORY_MOST_STATES 100
/* Most variables of a row. */
#define TLV_CATEGORY_MOST_VARIABLES 20000
/* Most entries of all tables of triples together: 16 MB. */
#define TLV_CATEGORY_MOST_TRIPLES ((size_t) 1 << 21)
/* Most replicates. */
#define TLV_CATEGORY_MOST_REPLICATES 1000

/*
 * An empty accumulator; replicates = 0: no bootstrap.  seed: of the parts that rows are dealt to,
 * by their number.  Errors: TLV_BAD_PARAMETER for too many replicates, memory.
 *
 * A row may have up to TLV_CATEGORY_MOST_VARIABLES values (TLV_LIMIT), all rows as many, and at
 * least one (TLV_BAD_DATA); a value below -1 or above 99 is TLV_BAD_DATA; tables too large for a
 * stored value are TLV_LIMIT, found out at the latest when the accumulator is built.
 */
extern tlv_status tlv_category_moments_create(tlv_context *ctx, size_t replicates, uint64_t seed,
											  tlv_accumulator **accumulator);

/* The aggregate of rows of categorical variables; count is the number of replicates. */
extern const tlv_aggregate tlv_aggregate_category_moments;

/* A stored value opened for reading; points into the frame but for the offsets. */
typedef struct tlv_category_tables
{
	size_t p;
	double rows;
	const int64_t *states;	  /* p */
	const size_t *offset;	  /* p + 1: of every variable's first state among all states */
	const size_t *pair_row;	  /* p + 1: where the tables (a, a+1) begin in pairs; all entries */
	const size_t *triple_row; /* p + 1: the same of the tables (a, a+1, a+2) in triples */
	const double *singles;
	const double *pairs;
	const double *triples; /* NULL: not kept */
	size_t pair_entries;
	size_t replicates;
	const double *part_rows;	 /* replicates */
	const double *part_singles;	 /* sum of states x replicates */
	const double *part_pairs;	 /* pair_entries x replicates */
	const int64_t *name_offsets; /* of all states, and one; NULL: they have numbers */
	const char *names;
} tlv_category_tables;

/* Memory from the arena; tlv_category_close frees it.  Errors: memory, TLV_GONE. */
extern tlv_status tlv_category_open(tlv_context *ctx, const tlv_frame *moments,
									tlv_category_tables *tables);
extern void tlv_category_close(tlv_context *ctx, tlv_category_tables *tables);

/* The names of the categories of a model that has one category at least of every variable: their
 * offsets, of *n and one, from the arena, into tables->names. */
extern tlv_status tlv_category_tree_names(tlv_context *ctx, const tlv_category_tables *tables,
										  int64_t **offsets, size_t *n);

/* Replicates of the bootstrap, as tables of a value without: room for one, to be freed, and the
 * next one drawn into it. */
extern tlv_status tlv_category_replicate_create(tlv_context *ctx, const tlv_category_tables *tables,
												tlv_category_tables *replicate);
extern tlv_status tlv_category_replicate_draw(tlv_context *ctx, const tlv_category_tables *tables,
											  tlv_rng *rng, tlv_category_tables *replicate);
extern void tlv_category_replicate_free(tlv_context *ctx, tlv_category_tables *replicate);

/* The table of a < b: states[a] x states[b], [x_a * states[b] + x_b]. */
extern const double *tlv_category_pair(const tlv_category_tables *tables, size_t a, size_t b);

/* The table of a < b < c (triples are kept): [(x_a * states[b] + x_b) * states[c] + x_c]. */
extern const double *tlv_category_triple(const tlv_category_tables *tables, size_t a, size_t b,
										 size_t c);

/* ---- variables that identify rows (identifying.c) ---- */

/* Warns of a variable that has so many different ones among its values that these name its rows. */
extern tlv_status tlv_warn_identifying(tlv_context *ctx, const tlv_names *names, size_t variable,
									   size_t different, size_t values, tlv_diagnostics *to);

/*
 * Do the first two variables identify rows together, and neither of them alone?  pairs: the pairs
 * of rows that agree in the first, in the second, and in both.  Under independence the number of
 * the last is Poisson, and 0 has probability exp(-expected).
 */
extern bool tlv_is_key(double rows, const double pairs[3]);

/* The warning of them: they are the row and the variable of long rows, or another key. */
extern tlv_status tlv_warn_key(tlv_context *ctx, const tlv_names *names, double rows,
							   const char *hint, tlv_diagnostics *to);

/* Both of the variables of tables. */
extern tlv_status tlv_warn_tables(tlv_context *ctx, const tlv_category_tables *tables,
								  const tlv_names *names, const char *hint, tlv_diagnostics *to);

#endif /* TENSORLV_CATEGORY_MOMENTS_H */
