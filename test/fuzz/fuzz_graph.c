/*
 * fuzz_graph.c - graphs: bytes of unknown origin as a stored graph, and rows
 * as edges.  Whatever validation lets through is the one form of its graph:
 * merged into an empty graph it gives the same bytes again; and everything
 * that reads graphs must manage.
 *
 * Input: one byte of mode, then
 *   0  an image
 *   1  an image whose sizes and fingerprint are put right
 *   2  the numbers and the bytes of the sections, put together here
 *   3  edges, collected in several ways that must agree
 */
#include <math.h>

#include "pool.h"
#include "tensorlv/model/graph.h"
#include "tensorlv/model/kind.h"

#define MAX_SIZE	 4096
#define MEMORY_LIMIT ((size_t) 16 << 20)

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pool memory;
static tlv_context ctx;
static tlv_frame_builder builder;

/* Return from a use that fails; errors are what is expected here. */
#define USE(expression)                                                                            \
	do                                                                                             \
	{                                                                                              \
		if ((expression) != TLV_OK)                                                                \
			return;                                                                                \
	} while (0)

static void
require(bool condition)
{
	if (!condition)
		abort();
}

/* Copies of a graph, added up: one gives the same bytes, two give a valid graph. */
static void
use_merge(const tlv_frame *frame, const tlv_kind *kind, int copies)
{
	tlv_accumulator *accumulator;
	tlv_frame sum;
	void *image;
	size_t size;

	USE(tlv_accumulator_create(&ctx, kind->accumulator, &accumulator));
	for (int i = 0; i < copies; i++)
		USE(kind->accumulator->merge(&ctx, accumulator, frame));
	USE(kind->accumulator->build(&ctx, accumulator, &builder)); /* unless a sum overflows */
	USE(tlv_frame_finish(&ctx, &builder, &image, &size));
	require(tlv_kind_validate(&ctx, image, size, TLV_FRAME_GRAPH, &sum) == TLV_OK);
	require(sum.kind == kind);
	if (copies == 1)
		require(size == frame->header->size &&
				memcmp((char *) image + 4, (const char *) frame->header + 4, size - 4) == 0);
}

static void
use_cursor(const tlv_frame *frame, const tlv_graph_header *header)
{
	tlv_graph_cursor *cursor;
	int64_t src, dst, last_src = 0, last_dst = 0;
	double weight, total = 0;
	size_t n = 0;

	USE(tlv_graph_cursor_open(&ctx, frame, &cursor));
	for (; tlv_graph_cursor_next(cursor, &src, &dst, &weight); n++)
	{
		require(n == 0 || src > last_src || (src == last_src && dst > last_dst));
		require(header->kind != TLV_GRAPH_UNDIRECTED || src < dst);
		last_src = src;
		last_dst = dst;
		total += weight;
	}
	require(n == header->entries && total == header->total);
	tlv_graph_cursor_close(&ctx, cursor);
}

static void
use_rows(const tlv_frame *frame, const tlv_graph_header *header)
{
	size_t most = header->rows + header->columns + 1, count;
	int32_t *component = tlv_alloc(&ctx, most, sizeof(int32_t));
	tlv_graph graph;
	bool colours;

	require(component != NULL);
	for (int binary = 0; binary < 2; binary++)
		if (tlv_graph_load(&ctx, frame, binary ? 0 : 1, &graph) == TLV_OK)
		{
			require(graph.out.entries == graph.in.entries);
			USE(tlv_graph_components(&ctx, &graph, component, &count, &colours));
			tlv_graph_free(&ctx, &graph);
		}
}

/* A graph that is folded has as many edges as come from both ends. */
static void
use_fold(const tlv_frame *frame, const tlv_graph_header *header)
{
	tlv_graph_header folded;
	tlv_frame undirected;
	void *image;
	size_t size;

	if (header->kind != TLV_GRAPH_DIRECTED || tlv_graph_fold(&ctx, frame, &image, &size) != TLV_OK)
		return;
	require(tlv_kind_validate(&ctx, image, size, TLV_FRAME_GRAPH, &undirected) == TLV_OK);
	tlv_graph_read_header(&undirected, &folded);
	require(2 * folded.entries == header->entries && folded.rows == header->rows);
}

static void
use_image(const void *image, size_t size)
{
	tlv_graph_header header;
	tlv_frame frame;

	if (tlv_kind_validate(&ctx, image, size, TLV_FRAME_GRAPH, &frame) != TLV_OK)
		return;
	tlv_graph_read_header(&frame, &header);
	use_merge(&frame, frame.kind, 1);
	use_merge(&frame, frame.kind, 2);
	use_cursor(&frame, &header);
	use_rows(&frame, &header);
	use_fold(&frame, &header);
}

static void
use_repaired(const uint8_t *data, size_t size)
{
	tlv_frame_header *header;
	tlv_section *table;
	size_t at;

	if (size < sizeof(*header))
		return;
	header = malloc(size);
	memcpy(header, data, size);
	header->version = TLV_FRAME_VERSION;
	header->type = TLV_FRAME_GRAPH;
	header->reserved = 0;
	header->size = size;
	table = (tlv_section *) (header + 1);
	at = sizeof(*header) + header->sections * sizeof(tlv_section);
	for (uint32_t i = 0; at <= size && i < header->sections; i++)
	{
		table[i].offset = at;
		at += (table[i].rows * tlv_element_size(table[i].element) + 7) & ~(size_t) 7;
	}
	if (tlv_frame_seal(&ctx, header) != TLV_OK)
		abort();
	use_image(header, size);
	free(header);
}

/* Takes bytes off the front; zeros when there are none left. */
static uint64_t
take(const uint8_t **data, size_t *size, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i<bytes && * size> 0; i++, (*data)++, (*size)--)
		value |= (uint64_t) * *data << (8 * i);
	return value;
}

static void
use_sections(const uint8_t *data, size_t size)
{
	static const char *const scalars[] = {"weighted", "self_loops", "self_loop_weight",
										  "nulls",	  "entries",	"total",
										  "rows",	  "columns"};
	uint8_t kind = (uint8_t) (1 + take(&data, &size, 1) % 3), bits;
	double number[8], weights[64];
	size_t length[4], image_size, n;
	void *image;

	for (int i = 0; i < 8; i++)
		number[i] = (double) take(&data, &size, i == 0 ? 1 : 2);
	if (kind != TLV_KIND_GRAPH_BIPARTITE)
		number[7] = number[6];
	bits = (uint8_t) take(&data, &size, 1);
	for (int i = 0; i < 4; i++)
		length[i] = take(&data, &size, 1);
	tlv_frame_begin(&builder, TLV_FRAME_GRAPH, kind);
	for (int i = 0; i < 8; i++)
		tlv_frame_add_scalar(&builder, scalars[i], number[i]);
	for (int i = 0; i < 4; i++)
	{
		static const char *const names[] = {"nodes", "targets", "adjacency", "multiplicities"};

		n = length[i] < size ? length[i] : size;
		if ((i == 1 && kind != TLV_KIND_GRAPH_BIPARTITE) || (i == 3 && (bits & 3) != 1))
			continue;
		tlv_frame_add(&builder, names[i], TLV_BYTES, n, 1, data);
		data += n;
		size -= n;
	}
	if ((bits & 3) == 2)
	{
		for (n = 0; size > 0 && n < 64; n++)
			weights[n] = ldexp((double) take(&data, &size, 1), (bits >> 2) - 8);
		tlv_frame_add(&builder, "weights", TLV_FLOAT64, n, 1, weights);
	}
	USE(tlv_frame_finish(&ctx, &builder, &image, &image_size));
	use_image(image, image_size);
}

static bool
build(tlv_accumulator *accumulator, tlv_frame *frame)
{
	void *image;
	size_t size;

	if (accumulator->class->build(&ctx, accumulator, &builder) != TLV_OK)
		return false;
	require(tlv_frame_finish(&ctx, &builder, &image, &size) == TLV_OK);
	require(tlv_kind_validate(&ctx, image, size, TLV_FRAME_GRAPH, frame) == TLV_OK);
	return true;
}

/* Ids of one byte, or of eight with many bits; weights are multiples of 1/4, their sums exact. */
static void
use_edges(const uint8_t *data, size_t size)
{
	tlv_graph_kind kind = (tlv_graph_kind) (1 + take(&data, &size, 1) % 3);
	size_t buffer = 1 + take(&data, &size, 1), bytes = take(&data, &size, 1) % 2 ? 8 : 1;
	tlv_accumulator *all, *part[2];
	tlv_frame frame[2];

	USE(tlv_graph_accumulator_create(&ctx, kind, false, &all));
	for (int p = 0; p < 2; p++)
	{
		USE(tlv_graph_accumulator_create(&ctx, kind, false, &part[p]));
		tlv_graph_accumulator_set_buffer(part[p], buffer);
	}
	while (size > 0)
	{
		int64_t src = (int64_t) take(&data, &size, bytes);
		int64_t dst = (int64_t) take(&data, &size, bytes);
		uint8_t code = (uint8_t) take(&data, &size, 1);
		double weight = code < 128 ? 1 + (code >> 3) : (code - 127) / 4.0;

		require(tlv_add(&ctx, all, TLV_AS_EDGE(src, dst, weight)) == TLV_OK);
		require(tlv_add(&ctx, part[code % 2], TLV_AS_EDGE(src, dst, weight)) == TLV_OK);
	}
	if (!build(all, &frame[0]) || !build(part[1], &frame[1]))
		return;
	USE(part[0]->class->merge(&ctx, part[0], &frame[1]));
	require(build(part[0], &frame[1]));
	require(frame[0].header->size == frame[1].header->size &&
			memcmp(frame[0].header + 1, frame[1].header + 1,
				   frame[0].header->size - sizeof(tlv_frame_header)) == 0);
	use_image(frame[0].header, frame[0].header->size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	char *image;

	if (size < 1 || size > MAX_SIZE)
		return 0;
	if (!ready)
	{
		pool_init(&memory, &ctx);
		ready = true;
	}
	pool_reset(&memory, &ctx);
	ctx.arena.limit = MEMORY_LIMIT;
	switch (data[0] % 4)
	{
		case 0:
			image = malloc(size);
			memcpy(image, data + 1, size - 1);
			use_image(image, size - 1);
			free(image);
			break;
		case 1:
			use_repaired(data + 1, size - 1);
			break;
		case 2:
			use_sections(data + 1, size - 1);
			break;
		default:
			use_edges(data + 1, size - 1);
	}
	pool_reset(&memory, &ctx);
	return 0;
}
