/*
 * fft.c - discrete Fourier transforms (fft.h).
 */
#include "tensorlv/num/fft.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_fft_complex.h>

size_t
tlv_power_of_two(size_t n)
{
	size_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

static void
transform(size_t n, double *x, bool inverse)
{
	if (inverse)
		(void) gsl_fft_complex_radix2_inverse(x, 1, n);
	else
		(void) gsl_fft_complex_radix2_forward(x, 1, n);
}

/* x *= y, complex */
static void
multiply(size_t n, const double *y, double *x)
{
	for (size_t i = 0; i < n; i++)
	{
		double re = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];

		x[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
		x[2 * i] = re;
	}
}

/* exp(-+ pi i t^2 / n); t^2 modulo 2 n keeps the angle's digits. */
static void
chirp(size_t n, bool inverse, double *w)
{
	for (size_t t = 0; t < n; t++)
	{
		double angle = M_PI * (double) (t * t % (2 * n)) / (double) n;

		w[2 * t] = cos(angle);
		w[2 * t + 1] = inverse ? sin(angle) : -sin(angle);
	}
}

/* Bluestein: t w = (t^2 + w^2 - (w - t)^2) / 2 turns the transform into a convolution. */
static tlv_status
transform_any(tlv_context *ctx, size_t n, double *x, bool inverse)
{
	size_t m = tlv_power_of_two(2 * n - 1);
	double *w = tlv_alloc0(ctx, 2 * n + 4 * m, sizeof(double)), *a, *b;

	TLV_TRY_ALLOC(ctx, w);
	a = w + 2 * n;
	b = a + 2 * m;
	chirp(n, inverse, w);
	for (size_t t = 0; t < n; t++)
	{
		size_t back = (m - t) % m;

		b[2 * t] = b[2 * back] = w[2 * t];
		b[2 * t + 1] = b[2 * back + 1] = -w[2 * t + 1];
	}
	memcpy(a, x, 2 * n * sizeof(double));
	multiply(n, w, a);
	transform(m, a, false);
	transform(m, b, false);
	multiply(m, b, a);
	transform(m, a, true);
	multiply(n, w, a);
	for (size_t i = 0; i < 2 * n; i++)
		x[i] = inverse ? a[i] / (double) n : a[i];
	tlv_free(ctx, w);
	return TLV_OK;
}

tlv_status
tlv_fft(tlv_context *ctx, size_t n, double *x, bool inverse)
{
	if (n > TLV_FFT_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "a Fourier transform of %zu numbers is above %zu", n,
						TLV_FFT_MOST);
	if (n < 2)
		return TLV_OK;
	if ((n & (n - 1)) != 0)
		return transform_any(ctx, n, x, inverse);
	transform(n, x, inverse);
	return TLV_OK;
}

tlv_status
tlv_fft_grid(tlv_context *ctx, size_t n, double *x, bool inverse)
{
	double *column = tlv_alloc(ctx, 2 * n, sizeof(double));

	TLV_TRY_ALLOC(ctx, column);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_fft(ctx, n, x + 2 * n * i, inverse));
	}
	for (size_t j = 0; j < n; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < n; i++)
			memcpy(column + 2 * i, x + 2 * (n * i + j), 2 * sizeof(double));
		TLV_TRY(tlv_fft(ctx, n, column, inverse));
		for (size_t i = 0; i < n; i++)
			memcpy(x + 2 * (n * i + j), column + 2 * i, 2 * sizeof(double));
	}
	tlv_free(ctx, column);
	return TLV_OK;
}
