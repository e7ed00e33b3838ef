/*
 * membership.h - rows of categorical variables that belong to components: latent classes, where a
 * row belongs to one, and mixed membership (grade of membership, admixture), where every variable
 * of a row draws its own component from the row's Dirichlet membership.
 *
 * A row has p variables of states[j] categories, each seen in so many copies (two alleles of a
 * locus), side by side: p x copies codes, any of which may be missing.
 *
 * The model's frame (kinds latent_classes and grade_of_membership): scalars "rows", "copies",
 * "steps" (refinement steps done), "seed", "prior" (of a step: counts that every component is given
 * beside its own, as all rows have them); "states" (p), "weights" (k, of classes: their shares) or
 * "alpha" (k, of memberships: the Dirichlet's parameters), "probabilities" (k x all categories,
 * variable after variable: of a category given the component, those of a variable sum to 1), where
 * categories have names "category_offsets" and "category_names"; of rows with numbers beside the
 * categories "scalar_means" (k x numbers: of each in the components), and, where they were learnt
 * from rows, "scalar_variances" (the same) and "scalar_counts" (numbers: a tlv_number_form; means
 * and variances are those of the number itself in every form); names of the variables
 * (dimension_names.h) and diagnostics.
 *
 * Rows of a model whose numbers have variances are vectors: the codes of the variables, and the
 * numbers behind them; NaN or TLV_MEMBERSHIP_MISSING is a number that is missing, NaN or below 0 a
 * code.
 *
 * Sources: Tan, Mukherjee 2017 (moments of different variables); Zhang, Cai, Wu 2022 (own blocks
 * from the others); Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014 (whitening and decomposition);
 * Goodman 1974 (expectation maximisation of latent classes).
 *
 * The room contains the fit to pairs and triples, the procedure with its choice of k, prior and
 * alpha0, and numbers beside categories.  Tables of pairs and triples are in categories.h, three
 * views of categories by moments in multiview.h, and answers of workers in crowd.h.
 */
#ifndef TENSORLV_MEMBERSHIP_H
#define TENSORLV_MEMBERSHIP_H

#include "tensorlv/model/categories.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/nonnegative.h"

/* Most components; above this the explicit tensor is too large. */
#define TLV_MEMBERSHIP_MOST_COMPONENTS 200
/* Most categories of one variable, of a model that is learnt from rows; moments have fewer. */
#define TLV_MEMBERSHIP_MOST_STATES 10000
/* Most of all variables together; and for moments of pairs. */
#define TLV_MEMBERSHIP_MOST_TABLE	   2000000
#define TLV_MEMBERSHIP_MOST_CATEGORIES 8192
/* Numbers beside the categories are at most this in size. */
#define TLV_MEMBERSHIP_LARGEST 1e90
/* A number that is missing in a row of a sample, which has no NaN: beyond what may be there. */
#define TLV_MEMBERSHIP_MISSING 1e300

static inline bool
tlv_membership_is_missing(double number)
{
	return number != number || number == TLV_MEMBERSHIP_MISSING;
}

/* The distribution of a number in the components.  The last two are of positive numbers. */
typedef enum tlv_number_form
{
	TLV_NUMBER_NORMAL,
	TLV_NUMBER_POISSON,
	TLV_NUMBER_LOGNORMAL,
	TLV_NUMBER_GAMMA
} tlv_number_form;

#define TLV_NUMBER_FORMS (TLV_NUMBER_GAMMA + 1)

typedef struct tlv_membership_parts
{
	size_t p;			   /* variables */
	size_t categories;	   /* of all variables */
	size_t k;			   /* components */
	size_t category_bytes; /* of their names */
	size_t scalars;		   /* numbers beside the variables */
	double rows;
	double copies;
	double steps;
	double seed;
	double prior;				 /* counts that a step adds to each component's, as all rows have */
	const int64_t *states;		 /* p */
	double *weights;			 /* k: shares of classes, or the Dirichlet's alpha */
	double *probabilities;		 /* k x categories */
	const int64_t *name_offsets; /* categories + 1, or NULL */
	const char *names;
	const double *scalar_means;		/* k x scalars, or NULL: there are none */
	const double *scalar_variances; /* the same, or NULL: the means are all that is known */
	const int64_t *scalar_counts;	/* scalars: tlv_number_form; or NULL with them */
	tlv_diagnostics *diagnostics;	/* for writing */
} tlv_membership_parts;

typedef struct tlv_membership_options
{
	bool mixed;	   /* grade of membership, not latent classes */
	size_t k;	   /* 0: what the pairs show */
	size_t max_k;  /* then at most so many; 0: no fewer */
	size_t shown;  /* what they show, where that is more than max_k; 0: it is not */
	double alpha0; /* of memberships: the sum of alpha; 0: k / 10 */
	size_t copies; /* of every variable */
	uint64_t seed;
	tlv_decompose_options decompose;
	/* Instead: nonnegative factors of disjoint groups of variables, restarts and steps of decompose
	 * those of each. */
	bool partition;
	tlv_nonnegative_method solver;
} tlv_membership_options;

/* ---- the stored form ---- */

/* Is it a model of mixed membership? */
extern bool tlv_membership_is_mixed(const tlv_frame *model);

/* The parts of a stored model; they point into it. */
extern void tlv_membership_read(const tlv_frame *frame, tlv_membership_parts *parts);

/* The names of their categories; they point where the parts do. */
extern tlv_code_names tlv_membership_names(const tlv_membership_parts *parts);

/*
 * Writes a model, its components by decreasing weight.  *order (k, or NULL) gets the component
 * that each one was.  Errors: memory, numbers that are not finite.
 */
extern tlv_status tlv_membership_write(tlv_context *ctx, const tlv_membership_parts *parts,
									   bool mixed, int64_t *order, void **image, size_t *size);

/* ---- fits ---- */

/*
 * From category_moments with tables of triples, which are of different variables:
 * pairs are whitened, with the own block of every variable completed from the others (or seen in
 * its copies), triples decomposed.  k = 0: one more than eigenvalues of the pairs stand above those
 * of independent variables, or as many of these as are identified.  Errors: TLV_BAD_PARAMETER for
 * k, alpha0 and copies out of range, fewer than three variables, moments without triples;
 * TLV_NOT_IDENTIFIABLE where the pairs show fewer than k components; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_membership_fit(tlv_context *ctx, const tlv_frame *moments,
									 const tlv_membership_options *options, void **image,
									 size_t *size);

/* Numbers of components that may be tried, and that are where nothing is said. */
#define TLV_MEMBERSHIP_MOST_TRIED 200
#define TLV_MEMBERSHIP_MAX_K	  20

/* By what k is chosen. */
typedef enum tlv_membership_criterion
{
	TLV_MEMBERSHIP_HELD_OUT, /* likelihood of cells held out */
	TLV_MEMBERSHIP_BIC		 /* of latent classes: the Bayesian information criterion */
} tlv_membership_criterion;

typedef struct tlv_membership_learn_options
{
	tlv_membership_options fit; /* k = 0: chosen */
	tlv_membership_criterion criterion;
	size_t max_k;	/* of those that are tried where k is chosen, 1 to TLV_MEMBERSHIP_MOST_TRIED */
	int iterations; /* refinement steps at most; below 0: as many as the rows need */
	int refine;		/* 0: refined; 1: not */
	const tlv_names *categories; /* names of all categories, or NULL */
	const int64_t *states;		 /* with these: how many every variable has (p of the names) */
	size_t scalars;				 /* the last ones of a row are numbers */
} tlv_membership_learn_options;

/*
 * The procedure for these options: a sample of the rows, or all of them where they are few; initial
 * estimates from moments and from k-means, the one that predicts held-out cells better; refinement
 * over all rows.
 */
extern const tlv_procedure *tlv_membership_procedure(const tlv_membership_learn_options *options);

/* ---- use ---- */

/* How many numbers with a distribution the rows of a model have behind their codes. */
static inline size_t
tlv_membership_numbers(const tlv_membership_parts *parts)
{
	return parts->scalar_variances != NULL ? parts->scalars : 0;
}

/* ---- simulation ---- */

typedef struct tlv_membership_simulation
{
	bool mixed;
	size_t variables;
	size_t categories; /* of each */
	size_t k;
	double alpha;		  /* of every component; classes have weights Dirichlet(10) */
	double concentration; /* probabilities are Dirichlet of that */
	uint64_t seed;
} tlv_membership_simulation;

extern tlv_status tlv_membership_random(tlv_context *ctx, const tlv_membership_simulation *options,
										void **image, size_t *size);

/* Row number `row` of that seed: its codes (p x copies) and memberships (k). */
extern void tlv_membership_draw(const tlv_membership_parts *parts, bool mixed, uint64_t seed,
								uint64_t row, int32_t *codes, double *memberships);

#endif /* TENSORLV_MEMBERSHIP_H */
