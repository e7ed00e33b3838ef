/*
 * sparse_tile.h - body of the tile function of sparse_multiply.c, which
 * includes it once per vector type: VECTOR and NAME.
 *
 * The columns of a tile, at least as many as a vector has lanes, are summed in `vectors` vectors,
 * `fewer` of which would not do.  Those that would reach beyond the tile are
 * moved back to its end: they compute the same numbers again.
 */
#define OFFSET(v)                                                                                  \
	((v) < fewer || (size_t) (v) *lanes <= width - lanes ? (size_t) (v) *lanes : width - lanes)

static inline __attribute__((always_inline)) void
NAME(const tile_job *job, const int vectors, const int fewer)
{
	const size_t stride = job->stride, width = job->width, ahead = job->ahead, limit = job->limit;
	const float *restrict x = job->x, *restrict value = job->value;
	const size_t lanes = sizeof(VECTOR) / 4; /* bytes of a float */
	const int32_t *restrict index = job->index;

	for (size_t i = 0; i < job->rows; i++)
	{
		float *restrict y = job->y + i * stride;
		size_t p = job->start[i], end = job->start[i + 1];
		bool add = job->add;

		do
		{
			size_t stop = end - p > SEGMENT ? p + SEGMENT : end;
			VECTOR sum[VECTORS_MOST] = {0}, term;

			for (; p < stop; p++)
			{
				const float *row = x + (size_t) index[p] * stride;
				const float weight = value == NULL ? 1 : value[p];

				if (p + ahead < limit)
					prefetch_row(x + (size_t) index[p + ahead] * stride, width);
#pragma GCC unroll 16
				for (int v = 0; v < vectors; v++)
				{
					memcpy(&term, row + OFFSET(v), sizeof(term));
					sum[v] += weight * term;
				}
			}
			/* All are added before any is stored: vectors overlap. */
#pragma GCC unroll 16
			for (int v = 0; v < vectors && add; v++)
			{
				memcpy(&term, y + OFFSET(v), sizeof(term));
				sum[v] += term;
			}
#pragma GCC unroll 16
			for (int v = 0; v < vectors; v++)
				memcpy(y + OFFSET(v), &sum[v], sizeof(sum[v]));
			add = true;
		} while (p < end);
	}
}

#undef OFFSET
#undef NAME
#undef VECTOR
