/*
 * starts.c - alternating least squares in the frequencies (convolution.h; Huang 2016, section 4.3;
 * one system of k x k for each frequency).
 *
 * B(v, w) = sum_l F_l(v) G_l(w) conj H_l(v + w): each of F, G and H in turn, the others held.  The
 * filters are real, so that frequencies up to n / 2 say all.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/fft.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* k spectra, twice their length so that n frequencies follow any of the first n. */
typedef struct spectra
{
	double *re, *im; /* 2 n x k */
} spectra;

typedef struct sweep
{
	size_t n, k, half;	  /* frequencies, templates, n / 2 + 1 */
	double *grid;		  /* B(v, w), complex */
	double *sums;		  /* B(v, w - v): row w */
	double *wave;		  /* n complex numbers */
	double *a_re, *a_im;  /* n x k */
	double *gram, *right; /* of every frequency: (2 k)^2 and 2 k */
	double length;		  /* of B */
	spectra f, g, h, turned;
} sweep;

static size_t
sweep_numbers(size_t n, size_t k)
{
	return 4 * n * n + 2 * n + 2 * n * k + (n / 2 + 1) * (4 * k * k + 2 * k) + 16 * n * k;
}

static tlv_status
sweep_begin(tlv_context *ctx, const third_moments *third, size_t k, sweep *w)
{
	size_t n = 2 * third->s;
	double *at;

	TLV_TRY_NEW0(ctx, at, sweep_numbers(n, k));
	*w = (sweep){.n = n, .k = k, .half = n / 2 + 1, .grid = at};
	w->sums = at += 2 * n * n;
	w->wave = at += 2 * n * n;
	w->a_re = at += 2 * n;
	w->a_im = at += n * k;
	w->gram = at += n * k;
	w->right = at += w->half * 4 * k * k;
	at += w->half * 2 * k;
	for (int i = 0; i < 4; i++)
	{
		spectra *x = i == 0 ? &w->f : i == 1 ? &w->g : i == 2 ? &w->h : &w->turned;

		x->re = at;
		x->im = at += 2 * n * k;
		at += 2 * n * k;
	}
	third_grid(third, w->grid);
	TLV_TRY(tlv_fft_grid(ctx, n, w->grid, false));
	for (size_t i = 0; i < n; i++)
		for (size_t v = 0; v < n; v++)
		{
			memcpy(w->sums + 2 * (i * n + v), w->grid + 2 * (v * n + (i + n - v) % n),
				   2 * sizeof(double));
			w->length += w->grid[2 * (i * n + v)] * w->grid[2 * (i * n + v)] +
						 w->grid[2 * (i * n + v) + 1] * w->grid[2 * (i * n + v) + 1];
		}
	w->length = sqrt(w->length);
	return TLV_OK;
}

/* a = p q, of n frequencies */
TLV_CLONES static void
convolution_multiply(size_t n, const double *restrict p_re, const double *restrict p_im,
					 const double *restrict q_re, const double *restrict q_im, double *restrict re,
					 double *restrict im)
{
	for (size_t i = 0; i < n; i++)
	{
		re[i] = p_re[i] * q_re[i] - p_im[i] * q_im[i];
		im[i] = p_re[i] * q_im[i] + p_im[i] * q_re[i];
	}
}

/* sum conj(a) b, in four partial sums each, which is what vectors need. */
TLV_CLONES static void
inner(size_t n, const double *restrict a_re, const double *restrict a_im,
	  const double *restrict b_re, const double *restrict b_im, size_t stride, double *re,
	  double *im)
{
	double x[4] = {0}, y[4] = {0};
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (size_t j = 0; j < 4; j++)
		{
			double c = b_re[stride * (i + j)], d = b_im[stride * (i + j)];

			x[j] += a_re[i + j] * c + a_im[i + j] * d;
			y[j] += a_re[i + j] * d - a_im[i + j] * c;
		}
	for (; i < n; i++)
	{
		x[0] += a_re[i] * b_re[stride * i] + a_im[i] * b_im[stride * i];
		y[0] += a_re[i] * b_im[stride * i] - a_im[i] * b_re[stride * i];
	}
	*re = x[0] + x[1] + x[2] + x[3];
	*im = y[0] + y[1] + y[2] + y[3];
}

/* The system of one frequency as a real one of twice its size: A'A x = A'y. */
static double
form_system(const sweep *w, const double *y, double *gram, double *right)
{
	size_t n = w->n, k = w->k;
	double trace = 0, re, im;

	for (size_t l = 0; l < k; l++)
	{
		inner(n, w->a_re + l * n, w->a_im + l * n, y, y + 1, 2, &right[l], &right[k + l]);
		for (size_t m = 0; m <= l; m++)
		{
			inner(n, w->a_re + l * n, w->a_im + l * n, w->a_re + m * n, w->a_im + m * n, 1, &re,
				  &im);
			trace += l == m ? re : 0;
			/* [Re, -Im; Im, Re], the lower triangle and what mirrors it */
			gram[l + 2 * k * m] = gram[m + 2 * k * l] = re;
			gram[k + l + 2 * k * (k + m)] = gram[k + m + 2 * k * (k + l)] = re;
			gram[k + l + 2 * k * m] = gram[m + 2 * k * (k + l)] = im;
			gram[k + m + 2 * k * l] = gram[l + 2 * k * (k + m)] = -im;
		}
	}
	return trace;
}

/*
 * x: for every frequency i the least squares of y = a x, a_l(j) = p_l(j) q_l(j + offset), offset i
 * or n - i.  conjugate: x is that of the conjugate.
 */
static tlv_status
convolution_solve_mode(tlv_context *ctx, const sweep *w, const spectra *p, const spectra *q,
					   bool backwards, const double *y, bool conjugate, spectra *x)
{
	/* Of the mean diagonal of the systems. */
	const double ridge = 1e-8;
	size_t n = w->n, k = w->k;
	double trace = 0;

	for (size_t i = 0; i < w->half; i++)
	{
		size_t offset = backwards ? n - i : i;

		TLV_TRY_CONTINUE(ctx);
		for (size_t l = 0; l < k; l++)
			convolution_multiply(n, p->re + 2 * n * l, p->im + 2 * n * l,
								 q->re + 2 * n * l + offset, q->im + 2 * n * l + offset,
								 w->a_re + n * l, w->a_im + n * l);
		trace += form_system(w, y + 2 * n * i, w->gram + 4 * k * k * i, w->right + 2 * k * i);
	}
	TLV_TRY_CONTINUE(ctx);
	for (size_t i = 0; i < w->half; i++)
	{
		double *gram = w->gram + 4 * k * k * i, *right = w->right + 2 * k * i;

		for (size_t l = 0; l < 2 * k; l++)
			gram[l + 2 * k * l] += ridge * trace / (double) w->half + TLV_TINY;
		TLV_TRY(tlv_solve_spd(ctx, 2 * k, 1, gram, right));
		for (size_t l = 0; l < k; l++)
		{
			x->re[2 * n * l + i] = right[l];
			x->im[2 * n * l + i] = conjugate ? -right[k + l] : right[k + l];
		}
	}
	return TLV_OK;
}

/* The other half, and all of it again behind it. */
static void
complete(const sweep *w, spectra *x)
{
	size_t n = w->n;

	for (size_t l = 0; l < w->k; l++)
	{
		double *re = x->re + 2 * n * l, *im = x->im + 2 * n * l;

		im[0] = im[n / 2] = 0;
		for (size_t i = n / 2 + 1; i < n; i++)
		{
			re[i] = re[n - i];
			im[i] = -im[n - i];
		}
		memcpy(re + n, re, n * sizeof(double));
		memcpy(im + n, im, n * sizeof(double));
	}
}

/* turned: x at frequencies of the other sign, or its conjugate, which is the same of real filters.
 */
static void
turn(const sweep *w, const spectra *x, spectra *turned)
{
	memcpy(turned->re, x->re, 2 * w->n * w->k * sizeof(double));
	for (size_t i = 0; i < 2 * w->n * w->k; i++)
		turned->im[i] = -x->im[i];
}

static double
starts_length_of(size_t n, const spectra *x, size_t l)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x->re[2 * n * l + i] * x->re[2 * n * l + i] +
			   x->im[2 * n * l + i] * x->im[2 * n * l + i];
	return sqrt(sum);
}

/* Each template's three spectra as long as their geometric mean; and, if wanted, all their mean. */
static void
balance(const sweep *w, bool one)
{
	size_t n = w->n;

	for (size_t l = 0; l < w->k; l++)
	{
		double f = starts_length_of(n, &w->f, l), g = starts_length_of(n, &w->g, l),
			   h = starts_length_of(n, &w->h, l);
		double mean = cbrt(f) * cbrt(g) * cbrt(h);

		f = f > 0 ? mean / f : 0;
		g = g > 0 ? mean / g : 0;
		h = h > 0 ? mean / h : 0;
		for (size_t i = 2 * n * l; i < 2 * n * (l + 1); i++)
		{
			double re = (f * w->f.re[i] + g * w->g.re[i] + h * w->h.re[i]) / 3;
			double im = (f * w->f.im[i] + g * w->g.im[i] + h * w->h.im[i]) / 3;

			w->f.re[i] = one ? re : f * w->f.re[i];
			w->f.im[i] = one ? im : f * w->f.im[i];
			w->g.re[i] = one ? re : g * w->g.re[i];
			w->g.im[i] = one ? im : g * w->g.im[i];
			w->h.re[i] = one ? re : h * w->h.re[i];
			w->h.im[i] = one ? im : h * w->h.im[i];
		}
	}
}

static tlv_status
sweep_once(tlv_context *ctx, const sweep *w, bool one)
{
	sweep *own = (sweep *) w;

	turn(w, &w->g, &own->turned); /* G at the other sign */
	TLV_TRY(convolution_solve_mode(ctx, w, &w->f, &w->turned, true, w->sums, true, &own->h));
	complete(w, &own->h);
	turn(w, &w->h, &own->turned); /* conj H */
	TLV_TRY(convolution_solve_mode(ctx, w, &w->g, &w->turned, false, w->grid, false, &own->f));
	complete(w, &own->f);
	TLV_TRY(convolution_solve_mode(ctx, w, &w->f, &w->turned, false, w->grid, false, &own->g));
	complete(w, &own->g);
	balance(w, one);
	return TLV_OK;
}

/* ||B - model|| / ||B|| with F in place of all three, as factor times the model; over half of the
 * frequencies, of which those inside count twice.  *factor gets the best one. */
static double
residual_of(const sweep *w, double *factor)
{
	size_t n = w->n;
	double square = 0, product = 0;

	for (size_t v = 0; v < w->half; v++)
	{
		double times = v == 0 || v == n / 2 ? 1 : 2;

		for (size_t u = 0; u < n; u++)
		{
			double re = 0, im = 0;

			for (size_t l = 0; l < w->k; l++)
			{
				const double *f_re = w->f.re + 2 * n * l, *f_im = w->f.im + 2 * n * l;
				double x = f_re[v] * f_re[u] - f_im[v] * f_im[u];
				double y = f_re[v] * f_im[u] + f_im[v] * f_re[u];

				re += x * f_re[u + v] + y * f_im[u + v];
				im += y * f_re[u + v] - x * f_im[u + v];
			}
			square += times * (re * re + im * im);
			product += times * (re * w->grid[2 * (v * n + u)] + im * w->grid[2 * (v * n + u) + 1]);
		}
	}
	*factor = square > 0 ? product / square : 0;
	return sqrt(fmax(0, w->length * w->length - product * *factor)) / w->length;
}

/* Random filters of the support, as strong as B is. */
static tlv_status
draw_filters(tlv_context *ctx, const sweep *w, tlv_rng *rng)
{
	size_t n = w->n;
	double largest = 0, strength;

	for (size_t i = 0; i < n * n; i++)
		largest = fmax(largest, hypot(w->grid[2 * i], w->grid[2 * i + 1]));
	strength = cbrt(largest) / sqrt((double) n);
	for (size_t l = 0; l < w->k; l++)
	{
		for (size_t t = 0; t < n; t++)
		{
			w->wave[2 * t] = strength * tlv_rng_normal(rng);
			w->wave[2 * t + 1] = 0;
		}
		TLV_TRY(tlv_fft(ctx, n, w->wave, false));
		for (size_t i = 0; i < n; i++)
		{
			w->f.re[2 * n * l + i] = w->wave[2 * i];
			w->f.im[2 * n * l + i] = w->wave[2 * i + 1];
		}
	}
	complete(w, (spectra *) &w->f);
	memcpy(w->g.re, w->f.re, 4 * n * w->k * sizeof(double));
	memcpy(w->h.re, w->f.re, 4 * n * w->k * sizeof(double));
	return TLV_OK;
}

/* Where the s steps of a cyclic filter begin that hold its energy: of those that hold all but a
 * thousandth of the most, the ones about whose middle it lies. */
static size_t
window_of(size_t n, size_t s, const double *x)
{
	double most = 0;
	size_t best = 0;

	for (int pass = 0; pass < 2; pass++)
	{
		double nearest = INFINITY;

		for (size_t from = 0; from < n; from++)
		{
			double energy = 0, moment = 0;

			for (size_t t = 0; t < s; t++)
			{
				double e = x[2 * ((from + t) % n)] * x[2 * ((from + t) % n)];

				energy += e;
				moment += e * ((double) t - ((double) s - 1) / 2);
			}
			if (pass == 0)
				most = fmax(most, energy);
			else if (energy >= 0.999 * most && fabs(moment) < nearest)
			{
				nearest = fabs(moment);
				best = from;
			}
		}
	}
	return best;
}

/* The filters in their windows: s x k numbers. */
static tlv_status
take_filters(tlv_context *ctx, const sweep *w, double factor, double *f)
{
	size_t n = w->n, s = n / 2;

	for (size_t l = 0; l < w->k; l++)
	{
		size_t from;

		for (size_t i = 0; i < n; i++)
		{
			w->wave[2 * i] = w->f.re[2 * n * l + i];
			w->wave[2 * i + 1] = w->f.im[2 * n * l + i];
		}
		TLV_TRY(tlv_fft(ctx, n, w->wave, true));
		from = window_of(n, s, w->wave);
		for (size_t t = 0; t < s; t++)
			f[s * l + t] = cbrt(factor) * w->wave[2 * ((from + t) % n)];
	}
	return TLV_OK;
}

static tlv_status
convolution_run_start(tlv_context *ctx, const sweep *w, int sweeps, tlv_rng *rng,
					  convolution_start *start)
{
	/* Sweeps between two looks at the residual, and the change at which it stands. */
	const int sweeps_between = 10;
	const double stands = 1e-7;

	/* Sweeps after which the three spectra are made one in every sweep, before in every other. */
	const int loose_sweeps = 20;
	double before = INFINITY, factor = 1;

	TLV_TRY(draw_filters(ctx, w, rng));
	for (int i = 0; i < sweeps; i++)
	{
		TLV_TRY(sweep_once(ctx, w, i > loose_sweeps || i % 2 == 1 || i == sweeps - 1));
		if (i % sweeps_between != sweeps_between - 1)
			continue;
		start->residual = residual_of(w, &factor);
		if (fabs(before - start->residual) < stands)
			break;
		before = start->residual;
	}
	start->residual = residual_of(w, &factor);
	return take_filters(ctx, w, factor, start->f);
}

tlv_status
convolution_starts(tlv_context *ctx, const third_moments *third, size_t k,
				   const tlv_convolution_options *options, convolution_start **starts, size_t *n)
{
	int sweeps = options->steps > 0 ? options->steps : TLV_CONVOLUTION_STEPS;
	size_t s = third->s;
	double *f;
	tlv_rng rng;
	sweep w;

	*n = (size_t) (options->restarts > 0 ? options->restarts : TLV_CONVOLUTION_RESTARTS);
	TLV_TRY_NEW0(ctx, *starts, *n);
	TLV_TRY_NEW0_ROWS(ctx, f, *n, s * k);
	TLV_TRY(sweep_begin(ctx, third, k, &w));
	tlv_rng_seed(&rng, options->seed);
	for (size_t i = 0; i < *n; i++)
	{
		convolution_start start = {.f = f + i * s * k};
		size_t at = i;

		tlv_report(ctx, "starts", (double) i, (double) *n);
		TLV_TRY(convolution_run_start(ctx, &w, sweeps, &rng, &start));
		for (; at > 0 && (*starts)[at - 1].residual > start.residual; at--)
			(*starts)[at] = (*starts)[at - 1];
		(*starts)[at] = start;
	}
	tlv_free(ctx, w.grid);
	return TLV_OK;
}
