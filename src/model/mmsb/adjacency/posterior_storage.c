/*
 * posterior_storage.c - the shares of a posterior that statistics store where a value of all nodes
 * cannot hold every one of them (neighbours.h).
 */
#include "neighbours.h"

#include <math.h>
#include <string.h>

#include "../mixed/memberships.h"

/* Bytes of a value for each node, and for each of its shares, and those that all may take. */
#define NODE_BYTES	34.0
#define SHARE_BYTES 6.0
#define VALUE_BYTES (0.95 * (double) TLV_FRAME_MAX_BYTES)

size_t
tlv_neighbour_most_shares(size_t n)
{
	double nodes = fmax((double) n, 1);

	return (size_t) fmax((VALUE_BYTES - NODE_BYTES * nodes) / (SHARE_BYTES * nodes), 1);
}

double
tlv_mmsb_most_nodes(void)
{
	return floor(VALUE_BYTES / (NODE_BYTES + SHARE_BYTES));
}

/* The `most` largest shares that count, or fewer, descending; returns their number. */
static size_t
adjacency_find_largest(size_t k, size_t most, const double *share, double *largest)
{
	size_t n = 0;

	for (size_t a = 0; a < k; a++)
	{
		size_t i;

		if (share[a] < TLV_LEAST_SHARE || (n == most && share[a] <= largest[n - 1]))
			continue;
		for (i = n < most ? n++ : n - 1; i > 0 && largest[i - 1] < share[a]; i--)
			largest[i] = largest[i - 1];
		largest[i] = share[a];
	}
	return n;
}

double
tlv_neighbour_keep(size_t k, size_t most, double *share, double *work)
{
	size_t n, equal = 0;
	double sum = 0;

	if (k <= most)
		return 1;
	n = adjacency_find_largest(k, most, share, work);
	if (n < most)
		return 1;
	for (size_t i = n; i > 0 && work[i - 1] == work[n - 1]; i--)
		equal++;
	for (size_t a = 0; a < k; a++)
	{
		bool kept = share[a] > work[n - 1] || (share[a] == work[n - 1] && equal > 0);

		equal -= share[a] == work[n - 1] && equal > 0;
		share[a] = kept ? share[a] : 0;
		sum += share[a];
	}
	return sum;
}
