/*
 * recursive_grouping.c - recursive grouping of a few nodes (internal.h).
 *
 * For nodes a and b the difference Phi_c = d_ac - d_bc is the same for all c when the two are
 * siblings, and d_ab in size when one is the other's parent.  With estimated distances every c
 * gives an interval for that number, z standard errors to both sides: the intervals of siblings
 * have a point in common.  Families are the connected components of the relation; every family is
 * replaced by its parent, until one or two nodes are left.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

typedef struct grouping
{
	size_t active, stride;
	double *d, *se; /* active x active, rows stride apart */
	double *next_d, *next_se;
	double z;
	bool inside;
	int32_t *number; /* in the tree, of every active node */
	int32_t *family; /* of every active node: the lowest active node in it */
	int32_t *place;	 /* of a family's lowest node: its row in the next level */
	int32_t *parent; /* number in the tree, of every family in the order of rows */
	double *offset;	 /* distance of every active node to its family's parent */
	double *members; /* of every family in the order of rows */
} grouping;

/* Errors of 0, of exact distances, become of rounding size. */
static inline double
variance(double error)
{
	return error * error + 1e-18;
}

typedef struct difference
{
	bool constant;
	double mean, variance;
} difference;

/* Phi of a and b over all others: whether it is constant, and its mean by inverse variance. */
static difference
structure_compare(const grouping *g, size_t a, size_t b, bool judge)
{
	const double *da = g->d + a * g->stride, *db = g->d + b * g->stride;
	const double *ea = g->se + a * g->stride, *eb = g->se + b * g->stride;
	double low = -HUGE_VAL, high = HUGE_VAL, weight = 0, sum = 0;

	for (size_t c = 0; c < g->active; c++)
	{
		double phi = da[c] - db[c], v, half;

		if (c == a || c == b)
			continue;
		v = variance(ea[c]) + variance(eb[c]);
		half = g->z * sqrt(v);
		low = fmax(low, phi - half);
		high = fmin(high, phi + half);
		if (judge && low > high)
			return (difference){false, 0, 0};
		weight += 1 / v;
		sum += phi / v;
	}
	return (difference){true, sum / weight, 1 / weight};
}

static bool
is_centre(const grouping *g, size_t a)
{
	return g->inside && g->number[a] == 0;
}

/* a below the centre b: d_ac = d_ab + d_bc for all c. */
static bool
is_child(const grouping *g, size_t a, size_t b, double phi, double phi_variance)
{
	double between = g->d[a * g->stride + b], error = g->se[a * g->stride + b];

	return fabs(phi - between) <= g->z * sqrt(phi_variance + variance(error));
}

/* Siblings, or one the other's parent, which is siblings with the parent on one of them. */
static bool
related(const grouping *g, size_t a, size_t b)
{
	double between = g->d[a * g->stride + b];
	difference phi = structure_compare(g, a, b, true);

	return phi.constant &&
		   fabs(phi.mean) <=
			   between + g->z * sqrt(phi.variance + variance(g->se[a * g->stride + b]));
}

static int32_t
lowest_of(int32_t *family, int32_t a)
{
	while (family[a] != a)
		a = family[a] = family[family[a]];
	return a;
}

static void
structure_unite(int32_t *family, size_t a, size_t b)
{
	int32_t x = lowest_of(family, (int32_t) a), y = lowest_of(family, (int32_t) b);

	if (x < y)
		family[y] = x;
	else
		family[x] = y;
}

/* Where nothing is related to anything: the pair that neighbour joining would take. */
static void
unite_closest(grouping *g)
{
	double best = HUGE_VAL;
	size_t at_a = 0, at_b = 1;

	for (size_t a = 0; a < g->active; a++)
	{
		g->offset[a] = 0;
		for (size_t b = 0; b < g->active; b++)
			g->offset[a] += g->d[a * g->stride + b];
	}
	for (size_t a = 0; a < g->active; a++)
		for (size_t b = a + 1; b < g->active; b++)
		{
			double q =
				((double) g->active - 2) * g->d[a * g->stride + b] - g->offset[a] - g->offset[b];

			if (q < best)
			{
				best = q;
				at_a = a;
				at_b = b;
			}
		}
	structure_unite(g->family, at_a, at_b);
}

static tlv_status
find_families(tlv_context *ctx, grouping *g)
{
	size_t found = 0;

	for (size_t a = 0; a < g->active; a++)
		g->family[a] = (int32_t) a;
	for (size_t a = 0; a < g->active; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = a + 1; b < g->active; b++)
			if (lowest_of(g->family, (int32_t) a) != lowest_of(g->family, (int32_t) b) &&
				related(g, a, b))
			{
				structure_unite(g->family, a, b);
				found++;
			}
	}
	if (found == 0)
		unite_closest(g);
	for (size_t a = 0; a < g->active; a++)
		g->family[a] = lowest_of(g->family, (int32_t) a);
	return TLV_OK;
}

/* Is the centre the parent of its family: of more of the others than not? */
static bool
centre_is_parent(const grouping *g, size_t centre)
{
	size_t children = 0, others = 0;

	if (!is_centre(g, centre))
		return false;
	for (size_t a = 0; a < g->active; a++)
		if (a != centre && g->family[a] == g->family[centre])
		{
			difference phi = structure_compare(g, a, centre, false);

			others++;
			children += is_child(g, a, centre, phi.mean, phi.variance);
		}
	return 2 * children > others;
}

/* Distances of the members of one family to its new parent: means over their siblings. */
static void
measure_family(grouping *g, int32_t family)
{
	for (size_t a = 0; a < g->active; a++)
	{
		double weight = 0, sum = 0;

		if (g->family[a] != family)
			continue;
		for (size_t b = 0; b < g->active; b++)
			if (b != a && g->family[b] == family)
			{
				double error = g->se[a * g->stride + b], v;
				difference phi = structure_compare(g, a, b, false);

				v = variance(error) + phi.variance;
				weight += 1 / v;
				sum += 0.5 * (g->d[a * g->stride + b] + phi.mean) / v;
			}
		g->offset[a] = fmax(0, sum / weight);
	}
}

/* The parent's number in the tree; edges to the members are added. */
static int32_t
join_family(grouping *g, int32_t family, tlv_local_tree *local)
{
	size_t members = 0, parent = SIZE_MAX;
	int32_t number;

	for (size_t a = 0; a < g->active; a++)
	{
		if (g->family[a] != family)
			continue;
		members++;
		if (centre_is_parent(g, a))
			parent = a;
	}
	g->offset[family] = 0;
	if (members == 1)
		return g->number[family];
	if (parent == SIZE_MAX)
		measure_family(g, family);
	number = parent == SIZE_MAX ? (int32_t) local->nodes++ : g->number[parent];
	for (size_t a = 0; a < g->active; a++)
	{
		if (g->family[a] != family)
			continue;
		if (parent != SIZE_MAX)
			g->offset[a] = a == parent ? 0 : g->d[a * g->stride + parent];
		if (a != parent)
			tlv_local_tree_add(local, (size_t) g->number[a], (size_t) number, g->offset[a]);
	}
	return number;
}

/*
 * Distances among the parents: means by inverse variance over the members of both.  What their
 * members share is uncertain, too, so that a mean is not taken for more certain than they.
 */
static void
lift_distances(grouping *g, size_t families)
{
	size_t s = g->stride;

	for (size_t i = 0; i < families; i++)
		for (size_t j = 0; j < families; j++)
			g->next_d[i * s + j] = g->next_se[i * s + j] = 0;
	for (size_t a = 0; a < g->active; a++)
		for (size_t b = 0; b < g->active; b++)
		{
			size_t to = (size_t) g->place[g->family[a]] * s + (size_t) g->place[g->family[b]];
			double weight = 1 / variance(g->se[a * s + b]);

			g->next_d[to] += weight * (g->d[a * s + b] - g->offset[a] - g->offset[b]);
			g->next_se[to] += weight;
		}
	for (size_t i = 0; i < families; i++)
		for (size_t j = 0; j < families; j++)
		{
			double weight = g->next_se[i * s + j], pairs = g->members[i] * g->members[j];

			g->next_d[i * s + j] = i == j ? 0 : fmax(0, g->next_d[i * s + j] / weight);
			g->next_se[i * s + j] = i == j ? 0 : sqrt(pairs / weight);
		}
}

static void
structure_exchange(double **a, double **b)
{
	double *kept = *a;

	*a = *b;
	*b = kept;
}

/* One level: families are found, joined, and their parents are what is left. */
static tlv_status
structure_climb(tlv_context *ctx, grouping *g, tlv_local_tree *local)
{
	size_t families = 0;

	TLV_TRY(find_families(ctx, g));
	for (size_t a = 0; a < g->active; a++)
		if (g->family[a] == (int32_t) a)
		{
			g->parent[families] = join_family(g, (int32_t) a, local);
			g->members[families] = 0;
			g->place[a] = (int32_t) families++;
		}
	for (size_t a = 0; a < g->active; a++)
		g->members[g->place[g->family[a]]]++;
	TLV_TRY_CONTINUE(ctx);
	lift_distances(g, families);
	structure_exchange(&g->d, &g->next_d);
	structure_exchange(&g->se, &g->next_se);
	memcpy(g->number, g->parent, families * sizeof(int32_t));
	g->active = families;
	return TLV_OK;
}

static tlv_status
group_all(tlv_context *ctx, grouping *g, tlv_local_tree *local)
{
	while (g->active > 2)
		TLV_TRY(structure_climb(ctx, g, local));
	if (g->active == 2)
		tlv_local_tree_add(local, (size_t) g->number[0], (size_t) g->number[1], g->d[1]);
	return TLV_OK;
}

tlv_status
tlv_recursive_grouping(tlv_context *ctx, size_t n, double *distance, double *error, double z,
					   bool inside, tlv_local_tree *local)
{
	/* The more there are to agree, the further off one of them will be. */
	double tolerance = sqrt(z * z + 2 * log((double) n));
	grouping g = {.active = n, .stride = n, .d = distance, .se = error};
	double *scratch;
	int32_t *integers;
	tlv_status status;

	g.z = tolerance;
	g.inside = inside;
	local->n = local->nodes = n;
	local->edges = 0;
	TLV_TRY_NEW_ROWS(ctx, scratch, 2 * n + 2, n);
	TLV_TRY_NEW(ctx, integers, 4 * n);
	g.next_d = scratch;
	g.next_se = scratch + n * n;
	g.offset = scratch + 2 * n * n;
	g.members = g.offset + n;
	g.number = integers;
	g.family = integers + n;
	g.place = integers + 2 * n;
	g.parent = integers + 3 * n;
	for (size_t a = 0; a < n; a++)
		g.number[a] = (int32_t) a;
	status = group_all(ctx, &g, local);
	tlv_free(ctx, integers);
	tlv_free(ctx, scratch);
	return status;
}
