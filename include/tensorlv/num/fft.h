/*
 * fft.h - discrete Fourier transforms of any length, over GSL's of powers of two.
 */
#ifndef TENSORLV_FFT_H
#define TENSORLV_FFT_H

#include "tensorlv/num/context.h"

/*
 * y_w = sum_t x_t exp(-2 pi i t w / n), or with inverse (1/n) sum_w y_w exp(+2 pi i t w / n), in
 * place: x holds n complex numbers, real and imaginary parts by turns.  A power of two takes no
 * memory; another n goes by Bluestein's chirp (1970) through one of at least 2 n.  One call cannot
 * be interrupted: n at most TLV_FFT_MOST.  Errors: TLV_LIMIT, memory.
 */
#define TLV_FFT_MOST ((size_t) 1 << 20)
extern tlv_status tlv_fft(tlv_context *ctx, size_t n, double *x, bool inverse);

/* The same of an n x n grid, by rows and by columns.  Errors: TLV_CANCELLED, too. */
extern tlv_status tlv_fft_grid(tlv_context *ctx, size_t n, double *x, bool inverse);

/* The least power of two that is not below n. */
extern size_t tlv_power_of_two(size_t n);

#endif /* TENSORLV_FFT_H */
