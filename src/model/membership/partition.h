/*
 * partition.h - the partitioned method: three groups of variables, the modes, and their moments
 * (partition.c).
 */
#ifndef TENSORLV_MEMBERSHIP_PARTITION_H
#define TENSORLV_MEMBERSHIP_PARTITION_H

#include "internal.h"

#define MODES 3

typedef struct partition_mode
{
	size_t n;		  /* variables */
	size_t *variable; /* memory for all */
	size_t *first;	  /* memory for all, and one: categories before each */
} partition_mode;

typedef struct partition_work
{
	const tlv_category_tables *tables;
	const membership_moments *moments; /* whose variables these are */
	const tlv_membership_options *options;
	size_t k;
	double alpha0;
	size_t usable;	/* variables that have values, and two categories at least */
	int64_t *order; /* p: the usable ones, at random */
	double *weight; /* p: of a value, one over how often the variable is there and its copies */
	size_t *place;	/* p: categories before the variable in its mode */
	partition_mode mode[MODES];
} partition_work;

typedef struct partition_moments
{
	size_t d[MODES];
	double *triple;		 /* d0 x d1 x d2 */
	double *pair[MODES]; /* of the other two modes */
	double *mean[MODES];
	double *scale[MODES]; /* of an entry one over the root of its mean: its error is about that */
	double negative;	  /* share of the entries */
} partition_moments;

#endif /* TENSORLV_MEMBERSHIP_PARTITION_H */
