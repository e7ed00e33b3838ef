/*
 * likelihood.c - how likely tables of triples are under components of mixed membership
 * (internal.h): what decides between two estimates where no rows are left to ask.
 *
 * Of three values x, y, z of a row of Dirichlet memberships alpha, u_x = sum_h alpha_h theta_xh,
 * w_xy = sum_h alpha_h theta_xh theta_yh and so on,
 *     P(x, y, z) = (u_x u_y u_z + w_xy u_z + w_xz u_y + w_yz u_x + 2 w_xyz) / (a (a + 1) (a + 2)).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

typedef struct triple_likelihood
{
	const membership_moments *moments;
	const membership_fit *fit;
	double norm;  /* a (a + 1) (a + 2) */
	double *u;	  /* categories */
	double *w;	  /* categories x categories */
	double *both; /* k: alpha theta_x theta_y */
} triple_likelihood;

/* A line of a table: counts of all z beside x and y. */
static double
line_likelihood(const triple_likelihood *own, size_t x, size_t y, size_t first, size_t states,
				const double *counts)
{
	const membership_fit *fit = own->fit;
	size_t k = fit->k, d = own->moments->categories;
	double sum = 0;

	for (size_t h = 0; h < k; h++)
		own->both[h] = fit->weights[h] * fit->table[x * k + h] * fit->table[y * k + h];
	for (size_t c = 0; c < states; c++)
	{
		size_t z = first + c;
		double p = own->u[x] * own->u[y] * own->u[z] + own->w[x * d + y] * own->u[z] +
				   own->w[x * d + z] * own->u[y] + own->w[y * d + z] * own->u[x];

		if (counts[c] == 0)
			continue;
		for (size_t h = 0; h < k; h++)
			p += 2 * own->both[h] * fit->table[z * k + h];
		sum += counts[c] * log(fmax(p / own->norm, TLV_MEMBERSHIP_LEAST));
	}
	return sum;
}

static double
table_likelihood(const triple_likelihood *own, const tlv_category_tables *tables, size_t a,
				 size_t b, size_t c)
{
	const membership_moments *moments = own->moments;
	const double *counts = tlv_category_triple(tables, a, b, c);
	const size_t *offset = moments->offset;
	size_t copies = moments->copies;
	double sum = 0;

	for (size_t x = 0; x < (size_t) tables->states[a]; x++)
		for (size_t y = 0; y < (size_t) tables->states[b]; y++)
		{
			sum += line_likelihood(own, offset[a / copies] + x, offset[b / copies] + y,
								   offset[c / copies], (size_t) tables->states[c], counts);
			counts += tables->states[c];
		}
	return sum;
}

tlv_status
membership_triple_likelihood(tlv_context *ctx, const membership_moments *moments,
							 const tlv_category_tables *tables, double alpha0,
							 const membership_fit *fit, double *sum)
{
	size_t k = fit->k, d = moments->categories;
	triple_likelihood own = {
		.moments = moments, .fit = fit, .norm = alpha0 * (alpha0 + 1) * (alpha0 + 2)};
	double *scaled;

	TLV_TRY_NEW0(ctx, own.u, d);
	TLV_TRY_NEW_ROWS(ctx, own.w, d, d);
	TLV_TRY_NEW(ctx, own.both, k);
	TLV_TRY_NEW_ROWS(ctx, scaled, d, k);
	for (size_t v = 0; v < d; v++)
		for (size_t h = 0; h < k; h++)
			own.u[v] += scaled[v * k + h] = fit->weights[h] * fit->table[v * k + h];
	TLV_TRY(tlv_gemm(ctx, true, false, d, d, k, 1, scaled, k, fit->table, k, 0, own.w, d));
	*sum = 0;
	for (size_t a = 0; a < tables->p; a++)
		for (size_t b = a + 1; b < tables->p; b++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t c = b + 1; c < tables->p; c++)
				*sum += table_likelihood(&own, tables, a, b, c);
		}
	tlv_free(ctx, scaled);
	tlv_free(ctx, own.both);
	tlv_free(ctx, own.w);
	tlv_free(ctx, own.u);
	return TLV_OK;
}
