/*
 * directions.h - what the files of mixtures of directions share.
 */
#ifndef TENSORLV_GMM_DIRECTIONS_H
#define TENSORLV_GMM_DIRECTIONS_H

#include "tensorlv/model/directions.h"

/* Rows of a block. */
#define DIRECTIONS_BLOCK 128

/* Rows whose length is farther from 1 have been scaled, and are counted. */
#define DIRECTIONS_UNIT 1e-2

/* Expected sufficient statistics. */
typedef struct directions_sums
{
	double rows;
	double log_likelihood;
	double *responsibilities; /* k */
	double *sums;			  /* d x k */
} directions_sums;

/* A mixture prepared for blocks of directions. */
typedef struct directions_worker
{
	const tlv_directions *directions;
	double *constant; /* k: log weight and norm */
	double *linear;	  /* d x k: kappa mu */
	double *shares;	  /* block x k: log densities, then responsibilities */
	double *density;  /* block: log density of a row */
	double *total;	  /* block */
} directions_worker;

extern tlv_status directions_worker_open(tlv_context *ctx, const tlv_directions *directions,
										 directions_worker *worker);
/* Anew, whenever the mixture has changed. */
extern void directions_worker_prepare(directions_worker *worker);
extern void directions_worker_free(tlv_context *ctx, directions_worker *worker);

/*
 * n <= DIRECTIONS_BLOCK rows x (d x n, of length 1): shares and density of the worker, and their
 * statistics are added to sums (NULL: not wanted).
 */
extern tlv_status directions_expect(tlv_context *ctx, directions_worker *worker, size_t n,
									const double *x, directions_sums *sums);

/* The mixture of most expected likelihood; a component without rows keeps what it has. */
extern void directions_maximize(const directions_sums *sums, tlv_directions *directions);

/* A row by its length, which is returned: 0 where it has none.  Errors: TLV_BAD_DATA for another
 * width than d and for numbers that are not finite or beyond 1e100. */
extern tlv_status directions_row(tlv_context *ctx, size_t d, size_t width, const double *x,
								 double *row, double *length);

/* The accumulator of a model's statistics, and a step with them. */
extern tlv_status directions_statistics(tlv_context *ctx, tlv_model *model, const char *method,
										tlv_accumulator **accumulator);
extern tlv_status directions_update(tlv_context *ctx, const tlv_frame *model,
									const tlv_frame *statistics, const tlv_step *step, void **image,
									size_t *size);

/* An open model. */
typedef struct directions_model
{
	tlv_model base;
	tlv_directions directions;
	directions_worker worker;
	double *row; /* d */
} directions_model;

/* ---- directions_errors.c: members of the class ---- */

/* A drawn kappa is at most so many times larger or smaller. */
#define DIRECTIONS_MOST_FACTOR 50.0

extern tlv_status directions_estimates(tlv_context *ctx, const tlv_frame *model,
									   tlv_estimates *list);
extern tlv_status directions_score(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								   tlv_score_sink *sink);
extern tlv_status directions_redraw(tlv_context *ctx, const tlv_frame *model, const double *values,
									void **image, size_t *size);

/* ---- directions_given.c ---- */

/*
 * A row some of whose numbers are missing: the posterior of the components (shares, k) given the
 * direction of the others, and the logarithm of its density among the directions of so many
 * dimensions; where all are missing the weights, and 0.  work holds d.  Errors: TLV_BAD_DATA for
 * another number of dimensions, numbers beyond reckoning, zeros alone.
 */
extern tlv_status directions_infer_given(tlv_context *ctx, const tlv_directions *directions,
										 const tlv_part *part, double *work, double *shares,
										 double *log_likelihood);

/* ---- starts ---- */

/* Directions in memory. */
typedef struct directions_sample
{
	size_t n, d;
	const double *rows; /* d x n, of length 1 */
	tlv_frame moments;	/* dense moments of order 2 */
} directions_sample;

typedef struct directions_start
{
	size_t k;
	tlv_directions directions;
	double log_likelihood; /* mean over the sample */
	bool from_moments;
	int steps; /* on the sample */
	bool stands;
	size_t tried;  /* numbers of components whose criterion is known */
	double *icl;   /* tried */
	size_t fitted; /* numbers, of few dimensions, of which there is the other criterion, too */
	double *bic;   /* fitted */
} directions_start;

/*
 * The start of start->k components, or of as many as are chosen, up to max_k, where that is 0: by
 * BIC in few dimensions, where components overlap, else by ICL.  Errors: TLV_BAD_DATA for fewer
 * rows than k, memory, TLV_CANCELLED.
 */
extern tlv_status directions_find_start(tlv_context *ctx, const directions_sample *sample,
										const tlv_directions_learn_options *options, size_t max_k,
										directions_start *start);

/* draw.c: the members of the class. */
extern tlv_status directions_normals(tlv_context *ctx, const tlv_frame *model,
									 tlv_picture_normals *normals);
extern tlv_status directions_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture);

#endif /* TENSORLV_GMM_DIRECTIONS_H */
