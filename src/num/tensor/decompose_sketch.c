/*
 * decompose_sketch.c - the power method with deflation on count sketches of the tensor (Wang, Tung,
 * Smola and Anandkumar 2015): an entry (a, b, c) is added, with a random sign, at the place
 * h1(a) + h2(b) + h3(c) of a list of some length, and T(I, u, u) is estimated from the list by
 * convolutions, that is by Fourier transforms, in time of its length instead of k^3.  Every number
 * is the median of what several lists say.  The vectors end with one step on the tensor itself.
 *
 * An entry of T(I, u, u) is wrong by about |T| / sqrt(length), so that lists of 4 k^2 numbers, as
 * they are here, leave errors of half the length of a component where there are k of them: for
 * comparison, and for tensors of few components in many dimensions.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"
#include "tensorlv/num/fft.h"

#define LISTS		  5
#define LEAST_LENGTH  256
#define SKETCH_CHANGE 1e-6

/* One list, its places and its signs of every index of the three modes. */
typedef struct list
{
	uint32_t *place[3];
	double *sign[3];
	double *spectrum; /* length complex numbers */
} list;

typedef struct sketch
{
	tlv_solver *solver;
	size_t length;
	list list[LISTS];
	double *first, *second; /* length complex numbers each */
	double *images;			/* LISTS x k */
	double *vector, *image, *best;
} sketch;

static size_t
length_of(size_t k)
{
	size_t length = tlv_power_of_two(4 * k * k);

	return length < LEAST_LENGTH ? LEAST_LENGTH : tlv_least(length, TLV_FFT_MOST);
}

double
tlv_sketch_memory(size_t k, const tlv_decompose_options *options)
{
	(void) options;
	return (2 * LISTS + 4) * (double) length_of(k) + (6 * LISTS + 3) * (double) k +
		   (double) k * (double) k;
}

static tlv_status
draw_lists(tlv_context *ctx, sketch *w)
{
	size_t k = w->solver->k;

	for (int l = 0; l < LISTS; l++)
	{
		TLV_TRY_NEW0_ROWS(ctx, w->list[l].spectrum, w->length, 2);
		for (int m = 0; m < 3; m++)
		{
			TLV_TRY_NEW(ctx, w->list[l].place[m], k);
			TLV_TRY_NEW(ctx, w->list[l].sign[m], k);
			for (size_t i = 0; i < k; i++)
			{
				w->list[l].place[m][i] = (uint32_t) tlv_rng_below(&w->solver->rng, w->length);
				w->list[l].sign[m][i] = tlv_rng_below(&w->solver->rng, 2) == 0 ? -1 : 1;
			}
		}
	}
	return TLV_OK;
}

/* The entries (a, b, .) of the tensor, k of them, go to their places. */
static void
add_column(const sketch *w, const list *l, size_t a, size_t b, const double *column)
{
	size_t k = w->solver->k, mask = w->length - 1, from = l->place[0][a] + l->place[1][b];
	double sign = l->sign[0][a] * l->sign[1][b];

	for (size_t c = 0; c < k; c++)
		l->spectrum[2 * ((from + l->place[2][c]) & mask)] += sign * l->sign[2][c] * column[c];
}

static tlv_status
fill_list(tlv_context *ctx, const sketch *w, const list *l)
{
	const double *column = w->solver->half;

	for (size_t a = 0; a < w->solver->k; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b <= a; b++, column += w->solver->k)
		{
			add_column(w, l, a, b, column);
			if (b < a)
				add_column(w, l, b, a, column);
		}
	}
	return tlv_fft(ctx, w->length, l->spectrum, false);
}

/* A vector as a list of mode m, in real parts (0) or imaginary ones (1). */
static void
sketch_scatter(const sketch *w, const list *l, int m, const double *x, int part, double *to)
{
	for (size_t i = 0; i < w->solver->k; i++)
		to[2 * (size_t) l->place[m][i] + (size_t) part] += l->sign[m][i] * x[i];
}

/* The product of the spectra of a vector in modes 2 and 3, in `first`, from one transform: with F
 * that of both as real and imaginary part, it is (F(w)^2 - conj(F(-w))^2) / 4i. */
static tlv_status
pair_spectrum(sketch *w, const list *l, const double *x)
{
	size_t n = w->length;
	double *f = w->second, *to = w->first;

	memset(f, 0, 2 * n * sizeof(double));
	sketch_scatter(w, l, 1, x, 0, f);
	sketch_scatter(w, l, 2, x, 1, f);
	TLV_TRY(tlv_fft(w->solver->ctx, n, f, false));
	for (size_t i = 0; i < n; i++)
	{
		size_t j = (n - i) & (n - 1);
		double re = f[2 * i], im = f[2 * i + 1], back_re = f[2 * j], back_im = -f[2 * j + 1];
		double square_re = re * re - im * im - back_re * back_re + back_im * back_im;
		double square_im = 2 * re * im - 2 * back_re * back_im;

		to[2 * i] = square_im / 4;
		to[2 * i + 1] = -square_re / 4;
	}
	return TLV_OK;
}

/* T(I, x, x) as one list says. */
static tlv_status
list_image(sketch *w, const list *l, const double *x, double *image)
{
	const double *t = l->spectrum, *pair = w->first;
	double *product = w->second;

	TLV_TRY(pair_spectrum(w, l, x));
	for (size_t i = 0; i < w->length; i++)
	{
		product[2 * i] = t[2 * i] * pair[2 * i] + t[2 * i + 1] * pair[2 * i + 1];
		product[2 * i + 1] = t[2 * i + 1] * pair[2 * i] - t[2 * i] * pair[2 * i + 1];
	}
	TLV_TRY(tlv_fft(w->solver->ctx, w->length, product, true));
	for (size_t i = 0; i < w->solver->k; i++)
		image[i] = l->sign[0][i] * product[2 * (size_t) l->place[0][i]];
	return TLV_OK;
}

static double
median_of(double *x, size_t stride)
{
	double sorted[LISTS] = {0};

	for (size_t i = 0; i < LISTS; i++)
	{
		double number = x[i * stride];
		size_t at = i;

		for (; at > 0 && sorted[at - 1] > number; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = number;
	}
	return sorted[LISTS / 2];
}

/* image = T(I, x, x), and *value = T(x, x, x), as the lists say together. */
static tlv_status
sketched_image(sketch *w, const double *x, double *image, double *value)
{
	size_t k = w->solver->k;

	for (int l = 0; l < LISTS; l++)
		TLV_TRY(list_image(w, &w->list[l], x, w->images + (size_t) l * k));
	for (size_t i = 0; i < k; i++)
		image[i] = median_of(w->images + i, k);
	tlv_rows_dot(1, k, x, image, value);
	return TLV_OK;
}

/* T <- T - value x (x) x (x) x, in all lists. */
static tlv_status
sketch_deflate(sketch *w, const double *x, double value)
{
	for (int l = 0; l < LISTS; l++)
	{
		double *t = w->list[l].spectrum, *pair = w->first, *f = w->second;

		TLV_TRY(pair_spectrum(w, &w->list[l], x));
		memset(f, 0, 2 * w->length * sizeof(double));
		sketch_scatter(w, &w->list[l], 0, x, 0, f);
		TLV_TRY(tlv_fft(w->solver->ctx, w->length, f, false));
		for (size_t i = 0; i < w->length; i++)
		{
			t[2 * i] -= value * (f[2 * i] * pair[2 * i] - f[2 * i + 1] * pair[2 * i + 1]);
			t[2 * i + 1] -= value * (f[2 * i] * pair[2 * i + 1] + f[2 * i + 1] * pair[2 * i]);
		}
	}
	return TLV_OK;
}

/* Power iterations of w->vector until it converges. *value is T(x, x, x) at the result. */
static tlv_status
make_steps(sketch *w, int steps, double *value, bool *stands)
{
	size_t k = w->solver->k;
	double change = 1, length;

	for (int step = 0; step < steps && change > SKETCH_CHANGE; step++)
	{
		TLV_TRY_CONTINUE(w->solver->ctx);
		TLV_TRY(sketched_image(w, w->vector, w->image, value));
		tlv_rows_normalize(1, k, w->image, &length);
		change = 0;
		for (size_t i = 0; i < k; i++)
			change = fmax(change, fabs(w->image[i] - w->vector[i]));
		memcpy(w->vector, w->image, k * sizeof(double));
		w->solver->out->iterations++;
	}
	*stands = change <= SKETCH_CHANGE;
	return sketched_image(w, w->vector, w->image, value);
}

/* One component: the best of some random starts, and what it comes to. */
static tlv_status
sketch_find_component(sketch *w, size_t number)
{
	const int final_steps = 20;
	const int usual_steps = 10;
	const int usual_restarts = 10;
	tlv_solver *s = w->solver;
	int restarts = s->options->restarts > 0 ? s->options->restarts : usual_restarts;
	int steps = s->options->steps > 0 ? s->options->steps : usual_steps;
	double value, most = -HUGE_VAL, length;
	bool stands;

	for (int r = 0; r < restarts; r++)
	{
		tlv_rng_fill_normal(&s->rng, s->k, w->vector);
		tlv_rows_normalize(1, s->k, w->vector, &length);
		TLV_TRY(make_steps(w, steps, &value, &stands));
		if (r > 0 && value <= most)
			continue;
		most = value;
		memcpy(w->best, w->vector, s->k * sizeof(double));
	}
	memcpy(w->vector, w->best, s->k * sizeof(double));
	TLV_TRY(make_steps(w, final_steps, &value, &stands));
	s->out->converged = s->out->converged && stands;
	for (size_t i = 0; i < s->k; i++)
		s->vectors[number + i * s->k] = w->vector[i];
	return sketch_deflate(w, w->vector, value);
}

/* All vectors take one step on the tensor itself. */
static tlv_status
last_step(tlv_solver *s)
{
	double *images, *lengths;

	TLV_TRY_NEW_ROWS(s->ctx, images, s->k, s->k + 1);
	lengths = images + s->k * s->k;
	TLV_TRY(tlv_solver_apply(s, s->k, s->vectors, s->vectors, images));
	memcpy(s->vectors, images, s->k * s->k * sizeof(double));
	tlv_rows_normalize(s->k, s->k, s->vectors, lengths);
	tlv_free(s->ctx, images);
	return TLV_OK;
}

static tlv_status
run_sketch(sketch *w)
{
	tlv_solver *s = w->solver;

	TLV_TRY(draw_lists(s->ctx, w));
	for (int l = 0; l < LISTS; l++)
		TLV_TRY(fill_list(s->ctx, w, &w->list[l]));
	TLV_TRY_NEW_ROWS(s->ctx, w->first, w->length, 2);
	TLV_TRY_NEW_ROWS(s->ctx, w->second, w->length, 2);
	TLV_TRY_NEW_ROWS(s->ctx, w->images, s->k, LISTS + 3);
	w->vector = w->images + LISTS * s->k;
	w->image = w->vector + s->k;
	w->best = w->image + s->k;
	s->out->converged = true;
	for (size_t j = 0; j < s->k; j++)
	{
		tlv_report(s->ctx, "decompose", (double) j, (double) s->k);
		TLV_TRY(sketch_find_component(w, j));
	}
	return last_step(s);
}

tlv_status
tlv_decompose_sketch(tlv_solver *s)
{
	sketch w = {.solver = s, .length = length_of(s->k)};
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(s->ctx, &scratch);
	status = run_sketch(&w);
	tlv_scratch_end(s->ctx, &scratch);
	return status;
}
