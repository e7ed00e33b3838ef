/*
 * partition.h - the partitioned method: the modes of a partition, and their moments (partition.c,
 * partition_moments.c).
 */
#ifndef TENSORLV_MEMBERSHIP_PARTITION_H
#define TENSORLV_MEMBERSHIP_PARTITION_H

#include "internal.h"

#define MODES 3

typedef struct partition_mode
{
	size_t n;		  /* variables of the current partition, anchors first */
	size_t anchors;	  /* of these */
	size_t *variable; /* room for all */
	size_t *first;	  /* room for all, and one: categories before each */
} partition_mode;

/* A value of the current row: its place among a mode's categories, and what it weighs. */
typedef struct partition_value
{
	size_t at;
	double weight;
} partition_value;

typedef struct partition_work
{
	membership_rows *rows;
	const tlv_category_tables *tables; /* in place of the rows' codes, or NULL */
	const tlv_membership_options *options;
	size_t k;
	double alpha0;
	size_t usable;
	int64_t *order;	 /* p: usable variables, the anchors first */
	size_t anchored; /* of these, anchors */
	size_t each;	 /* new variables of a mode and a partition */
	size_t parts;
	double *weight; /* p: of a value, one over how often the variable is there and its copies */
	int *mode_of;	/* p: of the current partition, -1: none */
	size_t *place;	/* p: categories before the variable in its mode */
	partition_mode mode[MODES];
	partition_value *value[MODES]; /* slots */
	double *reference;			   /* anchor categories x k: of the first partition */
	double *own;				   /* the same of the current one */
	double residual, negative;	   /* sums over the partitions */
} partition_work;

typedef struct partition_moments
{
	size_t d[MODES];
	double *triple;		 /* d0 x d1 x d2 */
	double *pair[MODES]; /* of the other two modes */
	double *mean[MODES];
	double *scale[MODES]; /* of an entry one over the root of its mean: its error is about that */
} partition_moments;

/* Third moments of the partition's modes, corrected so that their factors are the components, every
 * entry times the scales of its places; adds the share of negative entries to work->negative. */
extern tlv_status membership_collect_moments(tlv_context *ctx, partition_work *work,
											 partition_moments *moments);

#endif /* TENSORLV_MEMBERSHIP_PARTITION_H */
