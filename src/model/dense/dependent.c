/*
 * dependent.c - columns that are constant or linear combinations of others, found in the covariance
 * of all rows (dense.h).
 *
 * The columns are taken in their order.  One is a linear combination if nearly nothing of its
 * variance is left, given those before it that were kept: its row of the Cholesky factor of the
 * covariance then has a diagonal entry near 0, and the coefficients follow by back-substitution.
 * All is in units of the columns' own standard deviations.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/numbers.h"

typedef struct dependence
{
	const tlv_dense_space *space;
	const double *covariance; /* directions x directions */
	const tlv_names *names;
	size_t n, room;	   /* columns that are no combinations of those before them; at most */
	size_t *column;	   /* room: which they are */
	double *deviation; /* room: their standard deviations */
	double *factor;	   /* packed rows of the Cholesky factor of their correlations */
	double *row;	   /* room: of the column that is taken */
	double *product;   /* directions */
	tlv_shown_list constant, combined;
	tlv_shown_list parts; /* of the first combination */
} dependence;

static tlv_status
begin_dependence(tlv_context *ctx, dependence *found)
{
	size_t d = found->space->directions;

	found->room = d;
	TLV_TRY_NEW(ctx, found->column, d);
	TLV_TRY_NEW(ctx, found->deviation, d);
	TLV_TRY_NEW(ctx, found->row, d);
	TLV_TRY_NEW(ctx, found->product, d);
	TLV_TRY_NEW(ctx, found->factor, tlv_packed2_size(d));
	return TLV_OK;
}

static void
end_dependence(tlv_context *ctx, dependence *found)
{
	tlv_free(ctx, found->factor);
	tlv_free(ctx, found->product);
	tlv_free(ctx, found->row);
	tlv_free(ctx, found->deviation);
	tlv_free(ctx, found->column);
}

/* The covariances of a column with all directions; without a subspace these are the columns. */
static void
column_product(dependence *found, size_t column)
{
	const tlv_dense_space *space = found->space;
	size_t d = space->directions;

	if (space->basis == NULL)
	{
		memcpy(found->product, found->covariance + column * d, d * sizeof(double));
		return;
	}
	memset(found->product, 0, d * sizeof(double));
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b < d; b++)
			found->product[b] +=
				found->covariance[a * d + b] * space->basis[a * space->dimensions + column];
}

/* The covariance of that column with another one. */
static double
covariance_with(const dependence *found, size_t column)
{
	const tlv_dense_space *space = found->space;
	double sum = 0;

	if (space->basis == NULL)
		return found->product[column];
	for (size_t a = 0; a < space->directions; a++)
		sum += found->product[a] * space->basis[a * space->dimensions + column];
	return sum;
}

/* The row of the factor; returns the part of the column's variance that the others leave. */
static double
dependence_factor_row(dependence *found, double deviation)
{
	double left = 1;

	for (size_t i = 0; i < found->n; i++)
	{
		const double *other = found->factor + tlv_packed2_index(i, 0);
		double sum = covariance_with(found, found->column[i]) / (deviation * found->deviation[i]);

		for (size_t c = 0; c < i; c++)
			sum -= found->row[c] * other[c];
		found->row[i] = sum / other[i];
		left -= found->row[i] * found->row[i];
	}
	return left;
}

/* The columns of a combination, whose row of the factor becomes its coefficients. */
static void
list_parts(dependence *found)
{
	/* The columns of a combination are those with a coefficient above this part of the largest. */
	const double least_coefficient = 1e-5;
	double largest = 0;
	char shown[TLV_SHOWN_NAME];

	for (size_t i = found->n; i-- > 0;)
	{
		const double *own = found->factor + tlv_packed2_index(i, 0);

		found->row[i] /= own[i];
		for (size_t c = 0; c < i; c++)
			found->row[c] -= found->row[i] * own[c];
		largest = fmax(largest, fabs(found->row[i]));
	}
	for (size_t i = 0; i < found->n; i++)
		if (fabs(found->row[i]) > least_coefficient * largest)
			tlv_shown_add(&found->parts, tlv_names_show(found->names, found->column[i], shown));
}

static tlv_status
take_column(tlv_context *ctx, dependence *found, size_t column, double least)
{
	double variance, left;
	char shown[TLV_SHOWN_NAME];

	TLV_TRY_CONTINUE(ctx);
	tlv_names_show(found->names, column, shown);
	column_product(found, column);
	variance = covariance_with(found, column);
	if (!(variance > least))
	{
		tlv_shown_add(&found->constant, shown);
		return TLV_OK;
	}
	left = dependence_factor_row(found, sqrt(variance));
	if (left > TLV_DEPENDENT && found->n < found->room)
	{
		found->row[found->n] = sqrt(left);
		memcpy(found->factor + tlv_packed2_index(found->n, 0), found->row,
			   (found->n + 1) * sizeof(double));
		found->column[found->n] = column;
		found->deviation[found->n++] = sqrt(variance);
		return TLV_OK;
	}
	if (found->combined.n == 0)
		list_parts(found);
	tlv_shown_add(&found->combined, shown);
	return TLV_OK;
}

/* "columns "a" and "b" are linear combinations of others, "a" of columns "c" and "d"". */
static void
describe_combined(dependence *found, char *text, size_t room)
{
	const char *columns = tlv_shown_text(&found->combined, "column");
	const char *parts = tlv_shown_text(&found->parts, "column");

	if (found->combined.n == 1)
		snprintf(text, room, "%s is a linear combination of %s", columns, parts);
	else
		snprintf(text, room, "%s are linear combinations of others, %s of %s", columns,
				 found->combined.names[0], parts);
}

static tlv_status
warn_of_dependence(tlv_context *ctx, dependence *found, double score, tlv_diagnostics *diagnostics)
{
	const tlv_warning warning = {.code = "dependent_columns", .score = score};
	char combined[2 * sizeof(found->combined.text) + TLV_SHOWN_NAME] = "";
	size_t constant = found->constant.n;

	if (constant + found->combined.n == 0)
		return TLV_OK;
	if (found->combined.n > 0)
		describe_combined(found, combined, sizeof(combined));
	if (constant == 0)
		return tlv_warn(ctx, diagnostics, &warning, "%s", combined);
	return tlv_warn(ctx, diagnostics, &warning, "%s %s constant%s%s",
					tlv_shown_text(&found->constant, "column"), tlv_shown_verb(&found->constant),
					found->combined.n > 0 ? ", and " : "", combined);
}

tlv_status
tlv_dense_warn_dependent(tlv_context *ctx, const tlv_dense_space *space, const double *covariance,
						 const tlv_names *names, double score, tlv_diagnostics *diagnostics)
{
	/* A column is constant if its variance is at most this part of the mean variance: rounding of
	 * the moments, and of the basis of a subspace. */
	const double least_variance_part = 1e-28;
	dependence found = {.space = space, .covariance = covariance, .names = names};
	double mean = 0;

	for (size_t a = 0; a < space->directions; a++)
		mean += covariance[a * (space->directions + 1)] / (double) space->dimensions;
	/* Outside of a subspace only the variance in the mean over all directions is known. */
	if (space->outside > TLV_DEPENDENT * (double) space->dimensions * mean)
		return TLV_OK;
	TLV_TRY(begin_dependence(ctx, &found));
	for (size_t i = 0; i < space->dimensions; i++)
		TLV_TRY(take_column(ctx, &found, i, least_variance_part * mean));
	TLV_TRY(warn_of_dependence(ctx, &found, score, diagnostics));
	end_dependence(ctx, &found);
	return TLV_OK;
}
