/*
 * groups.h - partitions of the nodes of an undirected graph by integrated likelihood alone: moves
 * of nodes between groups, and joins of groups, while the evidence grows.
 *
 * The distribution of an edge is a record: what the pairs of nodes of two groups say together given
 * a prior of their rate, whose mean is that of a class, inside groups or between them, and whose
 * shape is fitted.  A shape without limit is one rate for the whole class.  Labels: Peixoto 2017.
 * Where edges have scores (ranks.h) these are normal with a mean and a variance of every pair of
 * groups, or the same for all edges; the larger evidence tells whether weights follow the groups.
 */
#ifndef TENSORLV_MMSB_GROUPS_H
#define TENSORLV_MMSB_GROUPS_H

#include "../internal.h"
#include "ranks.h"

#include "tensorlv/num/rng.h"

/* Priors of a class of pairs of groups. */
typedef struct tlv_rate_prior
{
	double mean, shape;							/* of the rate */
	double centre, strength, freedom, variance; /* of the scores: normal, inverse chi-squared */
	double rate_constant, score_constant;		/* what is the same for every pair */
} tlv_rate_prior;

/* The distribution of an edge. */
typedef struct tlv_edge_law
{
	bool corrected; /* expected edges follow degrees, else the number of pairs */
	void (*prepare)(tlv_rate_prior *prior);
	/* evidence of e edges where x are expected at rate 1, or among x pairs */
	double (*evidence)(const tlv_rate_prior *prior, double e, double x);
	double (*mean)(double e, double x);
	double (*weakest)(double mean); /* shape of the weakest prior of this mean: about one edge */
} tlv_edge_law;

extern const tlv_edge_law tlv_bernoulli_law, tlv_corrected_law;

/* What is looked for. */
typedef struct tlv_group_task
{
	const tlv_mmsb_fit_state *fit; /* of one side; edges count 1 */
	const tlv_edge_law *law;
	const tlv_rank_scores *scores; /* NULL: none */
	bool follow;				   /* scores are of pairs of groups; else of all edges alike */
	size_t k;					   /* groups that are wanted; 0: as the evidence has it */
	uint64_t seed;
} tlv_group_task;

/* A partition: edges between groups, what nodes they have, and the priors fitted to both. */
typedef struct tlv_groups
{
	const tlv_group_task *task;
	const tlv_csr *edges;
	size_t n, k, room;
	double total; /* edges */
	int32_t *label;
	double *count, *sum, *squares;			   /* room x room: edges, their scores and squares */
	double *value;							   /* room x room: evidence of pairs */
	double *size, *degree, *told;			   /* room */
	int32_t *grade;							   /* n: which of the degrees that occur */
	size_t grades;							   /* 0 where degrees are not corrected for */
	int32_t *run;							   /* room x grades: nodes of each degree */
	double *own_count, *own_sum, *own_squares; /* room: of one node's edges */
	double constant, common;				   /* of the degrees; of scores that are all alike */
	tlv_rate_prior prior[2];				   /* inside groups, between them */
	size_t evaluations;
	tlv_rng rng;
} tlv_groups;

/* From labels 0 .. k - 1, which the partition takes over.  Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_groups_open(tlv_context *ctx, const tlv_group_task *task, int32_t *label,
								  size_t k, tlv_groups *groups);
extern void tlv_groups_close(tlv_context *ctx, tlv_groups *groups);

/* Evidence of groups a and b, c edges with scores of sum s and squares q, whose nodes are so many
 * and have so much degree. */
extern double tlv_groups_pair(tlv_groups *groups, size_t class, double c, double s, double q,
							  double x);

/* What groups a and b are expected to have, of these sizes and degrees. */
extern double tlv_groups_expected(const tlv_groups *groups, bool same, const double size[2],
								  const double degree[2]);

/* Evidence of the degrees of a group, and of who is in it; and of how many groups there are. */
extern double tlv_groups_members(const tlv_groups *groups, double size, double degree, double told);
extern double tlv_groups_number(const tlv_groups *groups, size_t k);

/* The priors of largest evidence; then values of all pairs. */
extern tlv_status tlv_groups_fit(tlv_context *ctx, tlv_groups *groups, bool weak);
extern double tlv_groups_evidence(const tlv_groups *groups);

/* groups_search.c: moves and joins from the labels given to those of *evidence; *k groups. */
extern tlv_status tlv_groups_search(tlv_context *ctx, const tlv_group_task *task, int32_t *label,
									size_t *k, double *evidence);

/* groups_search.c: the evidence of labels as they are. */
extern tlv_status tlv_groups_weigh(tlv_context *ctx, const tlv_group_task *task, int32_t *label,
								   size_t k, double *evidence);

#endif /* TENSORLV_MMSB_GROUPS_H */
