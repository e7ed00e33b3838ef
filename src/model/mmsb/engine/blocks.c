/*
 * blocks.c - alpha0 = 0: one community a node, from the best of several
 * starts by likelihood.
 *
 * Starts: local moves, the tensor's memberships, k-means on the embedding by pairs, and
 * k-means on the signed embedding.  From each, a few mean-field steps of an assortative and of
 * a full block model; the model is chosen by integrated likelihood, where the full one
 * must explain clearly more; its best starts are taken to convergence.
 */
#include "../internal.h"
#include "tensorlv/num/assert.h"

#include <math.h>
#include <string.h>

#define FIRST_STEPS		5
#define FIRST_SHARPNESS 1.5
#define LAST_STEPS		50
#define TOLERANCE		1e-4
#define HARD_STEPS		30

/* After so many of the last steps what is wanted must be within so many times their gain. */
#define HOPE_STEPS 10
#define HOPE_GAIN  3.0

/* The full model's rates must raise the criterion by this part. */
#define FULL_MARGIN 0.1

/* Less than this part of the communities left: whole reassignments keep more of them. */
#define LEAST_USED 0.9

/* Above this residual the tensor is a poor start, and k-means is tried more often. */
#define POOR_RESIDUAL  0.3
#define CLUSTER_STARTS 4
#define MORE_CLUSTERS  4

/* Work of a step (edges x communities and more) above which starts are compared as they are. */
#define LARGE_STEP		 5e7
#define LARGE_LAST_STEPS 10

#define MOST_STARTS 12

/* Nodes between two looks at tlv_should_stop(), each of up to a million products. */
#define NODES_BETWEEN 16

typedef struct start
{
	const char *name;
	int32_t *label[2];	  /* as found */
	double criterion[2];  /* assortative, full */
	int32_t *first[2][2]; /* after the first steps: by model, side */
} start;

typedef struct block_fit
{
	tlv_mmsb_fit_state *fit;
	tlv_block_model model;
	double *propensity[2];
	bool large;
	size_t n_starts;
	start starts[MOST_STARTS];
} block_fit;

static tlv_status
new_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *label[2])
{
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY_NEW(ctx, label[s], fit->side[s].n);
	return TLV_OK;
}

static void
copy_labels(const tlv_mmsb_fit_state *fit, int32_t *const from[2], int32_t *const to[2])
{
	for (size_t s = 0; s < 2 && s < fit->sides; s++)
		if (to[s] != NULL && from[s] != NULL)
			memcpy(to[s], from[s], fit->side[s].n * sizeof(int32_t));
}

static start *
add_start(block_fit *work, const char *name)
{
	start *added = &work->starts[work->n_starts++];

	memset(added, 0, sizeof(*added));
	added->name = name;
	return added;
}

/* Labels of the largest of the first `rank` scores; rows without any are the first community's. */
static void
largest_scores(size_t k, size_t rank, size_t n, const float *score, int32_t *label)
{
	for (size_t u = 0; u < n; u++)
	{
		size_t best = 0;

		for (size_t a = 1; a < rank; a++)
			best = score[u * k + a] > score[u * k + best] ? a : best;
		label[u] = (int32_t) best;
	}
}

/* k-means of every side on the directions that live on its nodes. */
static tlv_status
cluster_start(tlv_context *ctx, block_fit *work, const char *name, bool sign, int starts)
{
	tlv_mmsb_fit_state *fit = work->fit;
	start *added = add_start(work, name);

	TLV_TRY(new_labels(ctx, fit, added->label));
	for (size_t s = 0; s < fit->sides; s++)
	{
		const tlv_star_moments *stars = &fit->moments[tlv_mmsb_other(fit, s)].stars;
		tlv_mmsb_points points = {fit->side[s].n,
								  sign ? stars->signed_directions : stars->directions,
								  sign ? stars->signed_ritz : stars->ritz, !sign};

		TLV_TRY(tlv_mmsb_cluster(ctx, fit, &points, starts, work->n_starts + s, added->label[s]));
	}
	return tlv_mmsb_settle_labels(ctx, fit, added->label);
}

static double
dot_product(size_t k, const double *a, const float *b)
{
	double sum = 0;

	for (size_t i = 0; i < k; i++)
		sum += a[i] * (double) b[i];
	return sum;
}

/* sum += scale x */
static void
add_scaled(size_t k, double scale, const float *x, double *sum)
{
	for (size_t i = 0; i < k; i++)
		sum[i] += scale * (double) x[i];
}

/* To length 1; 0 stays. */
static void
normalize_direction(size_t k, double *x)
{
	double norm = 0;

	for (size_t i = 0; i < k; i++)
		norm += x[i] * x[i];
	for (size_t i = 0; i < k && norm > 0; i++)
		x[i] /= sqrt(norm);
}

/*
 * The mean direction of the nodes that label (-1: not) puts into a community, of length 1, for
 * every community that has none yet (all zeros); directions: k x n.
 */
static tlv_status
add_centers(tlv_context *ctx, size_t k, size_t n, const float *directions, const int32_t *label,
			bool *has_center, double *center)
{
	for (size_t u = 0; u < n; u++)
	{
		const float *x = directions + u * k;
		double length = 0;

		if (u % NODES_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		if (label[u] < 0 || has_center[label[u]])
			continue;
		for (size_t i = 0; i < k; i++)
			length += (double) x[i] * (double) x[i];
		if (length > 0)
			add_scaled(k, 1 / sqrt(length), x, center + (size_t) label[u] * k);
	}
	for (size_t c = 0; c < k; c++)
	{
		normalize_direction(k, center + c * k);
		for (size_t i = 0; i < k; i++)
			has_center[c] |= center[c * k + i] != 0;
	}
	return TLV_OK;
}

static tlv_status
nearest_centers(tlv_context *ctx, size_t k, size_t n, const float *directions, const double *center,
				int32_t *label)
{
	for (size_t u = 0; u < n; u++)
	{
		double best = -HUGE_VAL;

		if (u % NODES_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t c = 0; c < k; c++)
		{
			double cosine = dot_product(k, center + c * k, directions + u * k);

			if (cosine > best)
			{
				best = cosine;
				label[u] = (int32_t) c;
			}
		}
	}
	return TLV_OK;
}

/*
 * Every node of side s to the community whose known nodes point where it does.  Communities
 * without a known node get their centre from the labels as they are.
 */
static tlv_status
label_by_known(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t s, int32_t *label)
{
	const tlv_mmsb_side *side = &fit->side[s];
	const float *directions = fit->moments[tlv_mmsb_other(fit, s)].stars.directions;
	size_t k = fit->k, n = side->n;
	double *center = tlv_alloc0(ctx, k * k, sizeof(double));
	bool *has_center = tlv_alloc0(ctx, k, sizeof(bool));

	TLV_TRY_ALLOC(ctx, center);
	TLV_TRY_ALLOC(ctx, has_center);
	TLV_TRY(add_centers(ctx, k, n, directions, side->fixed, has_center, center));
	TLV_TRY(add_centers(ctx, k, n, directions, label, has_center, center));
	TLV_TRY(nearest_centers(ctx, k, n, directions, center, label));
	for (size_t u = 0; u < n; u++)
		if (side->fixed[u] >= 0)
			label[u] = side->fixed[u];
	tlv_free(ctx, has_center);
	tlv_free(ctx, center);
	return TLV_OK;
}

/* From the labels of the tensor's start. */
static tlv_status
known_start(tlv_context *ctx, block_fit *work)
{
	start *added = add_start(work, "known");

	TLV_TRY(new_labels(ctx, work->fit, added->label));
	copy_labels(work->fit, work->starts[0].label, added->label);
	for (size_t s = 0; s < work->fit->sides; s++)
		TLV_TRY(label_by_known(ctx, work->fit, s, added->label[s]));
	return TLV_OK;
}

/* The labels of the largest scores; *residual of the worse side. */
static tlv_status
tensor_start(tlv_context *ctx, block_fit *work, double *residual)
{
	tlv_mmsb_fit_state *fit = work->fit;
	start *tensor = add_start(work, "tensor");

	TLV_TRY(new_labels(ctx, fit, tensor->label));
	*residual = 0;
	for (size_t s = 0; s < fit->sides; s++)
	{
		largest_scores(fit->k, fit->moments[s].rank, fit->side[s].n, fit->moments[s].stars.scores,
					   tensor->label[s]);
		*residual = fmax(*residual, fit->moments[s].residual);
	}
	return tlv_mmsb_settle_labels(ctx, fit, tensor->label);
}

static tlv_status
proposed_start(tlv_context *ctx, block_fit *work)
{
	tlv_mmsb_fit_state *fit = work->fit;
	int32_t *proposed[2] = {fit->side[0].proposed, fit->side[1].proposed};
	start *added = add_start(work, "moves");

	TLV_TRY(new_labels(ctx, fit, added->label));
	copy_labels(fit, proposed, added->label);
	if (fit->side[0].fixed == NULL)
		return TLV_OK; /* both sides are numbered alike */
	return tlv_mmsb_settle_labels(ctx, fit, added->label);
}

static tlv_status
find_starts(tlv_context *ctx, block_fit *work)
{
	tlv_mmsb_fit_state *fit = work->fit;
	double residual = 0;

	if (fit->embedded || fit->parts)
		TLV_TRY(tensor_start(ctx, work, &residual));
	if (fit->side[0].proposed != NULL)
		TLV_TRY(proposed_start(ctx, work));
	if (!fit->embedded)
		return TLV_OK; /* no directions of the whole graph */
	TLV_TRY(cluster_start(ctx, work, "pairs", false, CLUSTER_STARTS));
	if (fit->sides == 1)
		TLV_TRY(cluster_start(ctx, work, "signed", true, CLUSTER_STARTS));
	for (int i = 0; i < MORE_CLUSTERS && residual > POOR_RESIDUAL && !work->large; i++)
		TLV_TRY(cluster_start(ctx, work, "more", fit->sides == 1, 1));
	if (fit->side[0].fixed != NULL)
		TLV_TRY(known_start(ctx, work));
	return TLV_OK;
}

static void
use_labels(block_fit *work, int32_t *const label[2])
{
	tlv_assert(work->fit->sides <= 2);
	for (size_t s = 0; s < work->fit->sides; s++)
		work->model.side[s].label = label[s];
}

/* The first steps of both models from every start, and what they reach. */
static tlv_status
first_steps(tlv_context *ctx, block_fit *work)
{
	int steps;

	work->model.sharpness = FIRST_SHARPNESS;
	for (size_t i = 0; i < work->n_starts; i++)
		for (int full = 0; full < 2; full++)
		{
			start *from = &work->starts[i];

			TLV_TRY(new_labels(ctx, work->fit, from->first[full]));
			copy_labels(work->fit, from->label, from->first[full]);
			use_labels(work, from->first[full]);
			work->model.diagonal = !full;
			if (!work->large)
				TLV_TRY(tlv_block_mean_field(ctx, &work->model, FIRST_STEPS, TOLERANCE, &steps));
			TLV_TRY(tlv_block_criterion(ctx, &work->model, &from->criterion[full]));
		}
	work->model.sharpness = 1;
	return TLV_OK;
}

static double
best_criterion(const block_fit *work, int full)
{
	double best = -HUGE_VAL;

	for (size_t i = 0; i < work->n_starts; i++)
		best = fmax(best, work->starts[i].criterion[full]);
	return best;
}

/* The best start of the model that is not among those tried. */
static size_t
next_start(const block_fit *work, int full, const bool *tried)
{
	size_t best = work->n_starts;

	for (size_t i = 0; i < work->n_starts; i++)
		if (!tried[i] && (best == work->n_starts ||
						  work->starts[i].criterion[full] > work->starts[best].criterion[full]))
			best = i;
	return best;
}

/* Whole reassignments from every start, which do not empty communities; the fullest, then best. */
static tlv_status
keep_communities(tlv_context *ctx, block_fit *work, int32_t *const label[2], double *criterion)
{
	int32_t *trial[2] = {NULL, NULL};
	size_t most = 0;
	double best = -HUGE_VAL, value;
	int steps;

	TLV_TRY(new_labels(ctx, work->fit, trial));
	for (size_t i = 0; i < work->n_starts; i++)
	{
		size_t used;

		copy_labels(work->fit, work->starts[i].label, trial);
		use_labels(work, trial);
		TLV_TRY(tlv_block_reassign(ctx, &work->model, HARD_STEPS, &steps));
		TLV_TRY(tlv_block_criterion(ctx, &work->model, &value));
		used = tlv_block_used(&work->model);
		if (used < most || (used == most && value <= best))
			continue;
		most = used;
		best = value;
		copy_labels(work->fit, trial, label);
	}
	*criterion = best;
	tlv_free(ctx, trial[0]);
	tlv_free(ctx, trial[1]);
	return TLV_OK;
}

/* Of the better model of the labels. */
static tlv_status
label_evidence(tlv_context *ctx, const block_fit *work, int32_t *const label[2], double *evidence)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	tlv_mmsb_evidences all;

	TLV_TRY(tlv_mmsb_evidence(ctx, fit, label, fit->k, &all));
	*evidence = fmax(all.of[fit->corrected][0], all.of[fit->corrected][1]);
	return TLV_OK;
}

/* What is wanted of a model, and what it comes to. */
typedef struct prospect
{
	bool judged;   /* some evidence is wanted */
	bool hopeless; /* it will not be reached: the last steps would be in vain */
	double before; /* evidence of the best start after its first steps */
	size_t starts; /* that are taken to convergence */
	int steps;	   /* of each, at most */
} prospect;

static tlv_status
look_ahead(tlv_context *ctx, const block_fit *work, int full, prospect *p)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	const start *best = &work->starts[next_start(work, full, (const bool[MOST_STARTS]){false})];

	*p = (prospect){.starts = tlv_least(fit->side[0].fixed != NULL ? 5 : 2, work->n_starts),
					.steps = work->large ? LARGE_LAST_STEPS : LAST_STEPS};
	p->starts = work->large ? 1 : p->starts;
	p->judged = fit->side[0].fixed == NULL && fit->least_evidence[full] > -HUGE_VAL;
	if (!p->judged)
		return TLV_OK;
	TLV_TRY(label_evidence(ctx, work, best->first[full], &p->before));
	p->hopeless = p->before < fit->least_evidence[full];
	if (p->hopeless)
		p->starts = p->steps = 1;
	return TLV_OK;
}

/*
 * The last steps of a start.  They gain ever less: where what is wanted lies beyond some times what
 * the first of them have gained, they end there.
 */
static tlv_status
take_steps(tlv_context *ctx, block_fit *work, int full, int32_t *const label[2], prospect *p,
		   int *steps)
{
	int part = p->judged && p->steps > HOPE_STEPS ? HOPE_STEPS : p->steps, more = 0;
	double after;

	TLV_TRY(tlv_block_mean_field(ctx, &work->model, part, TOLERANCE, steps));
	if (*steps < part || part == p->steps)
		return TLV_OK;
	TLV_TRY(label_evidence(ctx, work, label, &after));
	p->hopeless = after + HOPE_GAIN * fmax(after - p->before, 0) < work->fit->wanted_evidence[full];
	if (p->hopeless)
		return TLV_OK;
	TLV_TRY(tlv_block_mean_field(ctx, &work->model, p->steps - part, TOLERANCE, &more));
	*steps += more;
	return TLV_OK;
}

/* The best starts to convergence; the best of them. */
static tlv_status
last_steps(tlv_context *ctx, block_fit *work, int full, int32_t *const label[2])
{
	tlv_mmsb_fit_state *fit = work->fit;
	bool tried[MOST_STARTS] = {false};
	size_t from = 0, used;
	double best = -HUGE_VAL, value;
	prospect p;
	int steps, taken = 0;

	work->model.diagonal = !full;
	TLV_TRY(look_ahead(ctx, work, full, &p));
	for (size_t c = 0; c < p.starts && (c == 0 || !p.hopeless); c++)
	{
		size_t i = next_start(work, full, tried);

		tried[i] = true;
		use_labels(work, work->starts[i].first[full]);
		TLV_TRY(take_steps(ctx, work, full, work->starts[i].first[full], &p, &steps));
		TLV_TRY(tlv_block_criterion(ctx, &work->model, &value));
		if (c > 0 && value <= best)
			continue;
		best = value;
		from = i;
		taken = steps;
		copy_labels(fit, work->starts[i].first[full], label);
	}
	use_labels(work, work->starts[from].label);
	used = tlv_block_used(&work->model);
	use_labels(work, label);
	if ((double) tlv_block_used(&work->model) < LEAST_USED * (double) used)
		TLV_TRY(keep_communities(ctx, work, label, &best));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, best, "criterion"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, taken, "refinement_steps"));
	return tlv_diagnose(ctx, &fit->diagnostics, full, "full_block_model");
}

static tlv_status
diagnose_starts(tlv_context *ctx, block_fit *work)
{
	for (size_t i = 0; i < work->n_starts; i++)
		for (int full = 0; full < 2; full++)
			TLV_TRY(tlv_diagnose(ctx, &work->fit->diagnostics, work->starts[i].criterion[full],
								 "criterion_%s_%s_%zu", full ? "full" : "assortative",
								 work->starts[i].name, i + 1));
	return TLV_OK;
}

/* Expected shares of edges: by degree, or the same for all. */
static tlv_status
prepare_model(tlv_context *ctx, block_fit *work)
{
	tlv_mmsb_fit_state *fit = work->fit;
	double k = (double) fit->k, step = 0;

	work->model.k = fit->k;
	work->model.sides = fit->sides;
	work->model.total = fit->total;
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_mmsb_side *side = &fit->side[s];

		TLV_TRY_NEW(ctx, work->propensity[s], side->n);
		for (size_t u = 0; u < side->n; u++)
			work->propensity[s][u] =
				fit->corrected ? side->degree[u] / fit->total : 1 / (double) side->n;
		work->model.side[s] = (tlv_block_side){.n = side->n,
											   .edges = &side->edges,
											   .propensity = work->propensity[s],
											   .fixed = side->fixed};
		step += (double) side->edges.entries * k + (double) side->n * k * k;
	}
	work->large = step > LARGE_STEP;
	return TLV_OK;
}

static bool
is_too_large(tlv_context *ctx, const block_fit *work)
{
	return work->large ||
		   tlv_require_memory(ctx, tlv_block_memory(&work->model), "steps") != TLV_OK;
}

/* The labels proposed as they are: of so many communities, every step would be much work. */
static tlv_status
take_proposal(tlv_context *ctx, tlv_mmsb_fit_state *fit, block_fit *work)
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		TLV_TRY_NEW(ctx, fit->side[s].label, fit->side[s].n);
		memcpy(fit->side[s].label, fit->side[s].proposed, fit->side[s].n * sizeof(int32_t));
		tlv_free(ctx, work->propensity[s]);
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_fit_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	block_fit work = {.fit = fit};
	int32_t *label[2] = {NULL, NULL};
	int full;

	TLV_TRY(prepare_model(ctx, &work));
	if (!fit->embedded && !fit->parts && is_too_large(ctx, &work))
		return take_proposal(ctx, fit, &work);
	TLV_TRY(tlv_require_memory(ctx, tlv_block_memory(&work.model), "the block model"));
	TLV_TRY(find_starts(ctx, &work));
	TLV_TRY(first_steps(ctx, &work));
	TLV_TRY(diagnose_starts(ctx, &work));
	full = best_criterion(&work, 1) >
		   best_criterion(&work, 0) + FULL_MARGIN * fabs(best_criterion(&work, 0));
	TLV_TRY(new_labels(ctx, fit, label));
	TLV_TRY(last_steps(ctx, &work, full, label));
	tlv_assert(fit->sides <= 2);
	for (size_t s = 0; s < fit->sides; s++)
	{
		fit->side[s].label = label[s];
		tlv_free(ctx, work.propensity[s]);
		for (size_t i = 0; i < work.n_starts; i++)
		{
			tlv_free(ctx, work.starts[i].label[s]);
			tlv_free(ctx, work.starts[i].first[0][s]);
			tlv_free(ctx, work.starts[i].first[1][s]);
		}
	}
	return TLV_OK;
}
