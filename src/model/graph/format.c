/*
 * format.c - stored graphs: the walk over their edges, and the complete
 * check of one of unknown origin (graph.h says what they hold).
 */
#include "internal.h"

#include "tensorlv/model/kind.h"

static const char *const kind_names[] = {"", "undirected", "directed", "bipartite"};

const char *
tlv_graph_kind_name(tlv_graph_kind kind)
{
	return kind_names[kind];
}

void
tlv_graph_read_header(const tlv_frame *frame, tlv_graph_header *header)
{
	header->kind = (tlv_graph_kind) frame->header->kind;
	header->weighted = tlv_frame_scalar(frame, "weighted", 0) != 0;
	header->rows = (size_t) tlv_frame_scalar(frame, "rows", 0);
	header->columns = (size_t) tlv_frame_scalar(frame, "columns", 0);
	header->entries = (size_t) tlv_frame_scalar(frame, "entries", 0);
	header->total = tlv_frame_scalar(frame, "total", 0);
	header->self_loops = tlv_frame_scalar(frame, "self_loops", 0);
	header->self_loop_weight = tlv_frame_scalar(frame, "self_loop_weight", 0);
	header->nulls = tlv_frame_scalar(frame, "nulls", 0);
}

/* ---- the walk ---- */

void
tlv_entry_open(const tlv_frame *frame, entry_cursor *cursor)
{
	*cursor = (entry_cursor){.undirected = frame->header->kind == TLV_GRAPH_UNDIRECTED,
							 .at = tlv_frame_data(frame, "adjacency"),
							 .multiplicities = tlv_frame_data(frame, "multiplicities"),
							 .weights = tlv_frame_float64(frame, "weights"),
							 .rows = (size_t) tlv_frame_scalar(frame, "rows", 0),
							 .weight = 1};
	cursor->end = cursor->at + tlv_frame_find(frame, "adjacency")->rows;
}

tlv_status
tlv_graph_decode_nodes(tlv_context *ctx, const tlv_frame *frame, const char *name, size_t n,
					   int64_t **ids)
{
	const uint8_t *at = tlv_frame_data(frame, name);
	uint64_t id = 0;

	TLV_TRY_NEW(ctx, *ids, n);
	for (size_t i = 0; i < n; i++)
	{
		uint64_t code;

		at = get_varint(at, &code);
		id = i == 0 ? bias((int64_t) unzigzag(code)) : id + code + 1;
		(*ids)[i] = unbias(id);
		if (i % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(ctx);
	}
	return TLV_OK;
}

tlv_status
tlv_graph_decode_sides(tlv_context *ctx, const tlv_frame *frame, int64_t *nodes[2])
{
	tlv_graph_header header;
	tlv_status status;

	nodes[0] = nodes[1] = NULL;
	tlv_graph_read_header(frame, &header);
	status = tlv_graph_decode_nodes(ctx, frame, "nodes", header.rows, &nodes[0]);
	if (header.kind != TLV_GRAPH_BIPARTITE)
		nodes[1] = nodes[0];
	else if (status == TLV_OK)
		status = tlv_graph_decode_nodes(ctx, frame, "targets", header.columns, &nodes[1]);
	if (status != TLV_OK)
		tlv_graph_free_sides(ctx, nodes);
	return status;
}

void
tlv_graph_free_sides(tlv_context *ctx, int64_t *nodes[2])
{
	if (nodes[1] != nodes[0])
		tlv_free(ctx, nodes[1]);
	tlv_free(ctx, nodes[0]);
	nodes[0] = nodes[1] = NULL;
}

struct tlv_graph_cursor
{
	entry_cursor entries;
	int64_t *nodes[2]; /* the same for one set */
};

tlv_status
tlv_graph_cursor_open(tlv_context *ctx, const tlv_frame *frame, tlv_graph_cursor **cursor)
{
	tlv_graph_cursor *opened = tlv_alloc0(ctx, 1, sizeof(tlv_graph_cursor));
	tlv_status status;

	TLV_TRY_ALLOC(ctx, opened);
	tlv_entry_open(frame, &opened->entries);
	status = tlv_graph_decode_sides(ctx, frame, opened->nodes);
	if (status == TLV_OK)
		*cursor = opened;
	else
		tlv_free(ctx, opened);
	return status;
}

bool
tlv_graph_cursor_next(tlv_graph_cursor *cursor, int64_t *src, int64_t *dst, double *weight)
{
	entry_cursor *entries = &cursor->entries;

	while (entries->left == 0)
	{
		if (entries->row == entries->rows)
			return false;
		entries->left = entry_next_row(entries);
	}
	entries->left--;
	*src = cursor->nodes[0][entries->row - 1];
	*dst = cursor->nodes[1][entry_next_column(entries)];
	*weight = entries->weight;
	return true;
}

void
tlv_graph_cursor_close(tlv_context *ctx, tlv_graph_cursor *cursor)
{
	if (cursor == NULL)
		return;
	tlv_graph_free_sides(ctx, cursor->nodes);
	tlv_free(ctx, cursor);
}

/* ---- the check of a graph of unknown origin ---- */

typedef struct graph_check
{
	tlv_context *ctx;
	const tlv_frame *frame;
	tlv_graph_header header;
	uint64_t *seen[2]; /* bitmaps of nodes that have an edge; the same for one set */
} graph_check;

/* Bytes yet to be read of one section. */
typedef struct byte_reader
{
	tlv_context *ctx;
	const char *name;
	const uint8_t *at;
	const uint8_t *end;
} byte_reader;

static tlv_status
damaged(const byte_reader *reader)
{
	return tlv_fail(reader->ctx, TLV_CORRUPT, "section \"%s\" is damaged", reader->name);
}

/* Requires `least` bytes or more. */
static tlv_status
graph_read_section(const graph_check *check, const char *name, size_t least, byte_reader *reader)
{
	const tlv_section *section = tlv_frame_find(check->frame, name);

	*reader = (byte_reader){.ctx = check->ctx, .name = name};
	if (section == NULL || section->element != TLV_BYTES || section->columns != 1)
		return tlv_fail(check->ctx, TLV_CORRUPT, "section \"%s\" is missing", name);
	if (section->rows < least)
		return tlv_fail(check->ctx, TLV_CORRUPT, "section \"%s\" is too short", name);
	reader->at = tlv_section_data(check->frame, section);
	reader->end = reader->at + section->rows;
	return TLV_OK;
}

/* A number in its one form: below 2^64, no superfluous zero bytes. */
static tlv_status
read_varint(byte_reader *reader, uint64_t *value)
{
	const uint8_t *at = reader->at;
	uint64_t result = 0;

	for (unsigned shift = 0; at < reader->end; shift += 7)
	{
		uint64_t byte = *at++;

		if (shift == 63 && byte > 1)
			break;
		result |= (byte & 0x7f) << shift;
		if (byte < 0x80)
		{
			if (byte == 0 && shift > 0)
				break;
			reader->at = at;
			*value = result;
			return TLV_OK;
		}
	}
	return damaged(reader);
}

static tlv_status
read_end(const byte_reader *reader)
{
	return reader->at == reader->end ? TLV_OK : damaged(reader);
}

static tlv_status
check_nodes(const graph_check *check, const char *name, size_t n)
{
	byte_reader reader;
	uint64_t id = 0, code = 0;

	TLV_TRY(graph_read_section(check, name, n, &reader));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY(read_varint(&reader, &code));
		if (i == 0)
			id = bias((int64_t) unzigzag(code));
		else if (id == UINT64_MAX || code > UINT64_MAX - 1 - id)
			return damaged(&reader);
		else
			id += code + 1;
		if (i % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(check->ctx);
	}
	return read_end(&reader);
}

static void
mark_position(uint64_t *seen, size_t position)
{
	seen[position / 64] |= UINT64_C(1) << (position % 64);
}

static tlv_status
graph_check_row(const graph_check *check, byte_reader *reader, size_t row, uint64_t count)
{
	uint64_t column = check->header.kind == TLV_GRAPH_UNDIRECTED ? row + 1 : 0, gap = 0;

	if (count > 0)
		mark_position(check->seen[0], row);
	for (uint64_t e = 0; e < count; e++)
	{
		TLV_TRY(read_varint(reader, &gap));
		if (column >= check->header.columns || gap >= check->header.columns - column)
			return damaged(reader);
		column += gap;
		if (check->header.kind != TLV_GRAPH_BIPARTITE && column == row)
			return damaged(reader);
		mark_position(check->seen[1], (size_t) column);
		column++;
		if (e % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(check->ctx);
	}
	return TLV_OK;
}

static tlv_status
check_adjacency(const graph_check *check)
{
	const tlv_graph_header *header = &check->header;
	byte_reader reader;
	uint64_t left = header->entries, count = 0;

	TLV_TRY(graph_read_section(check, "adjacency", header->rows, &reader));
	for (size_t row = 0; row < header->rows; row++)
	{
		TLV_TRY(read_varint(&reader, &count));
		if (count > left)
			return damaged(&reader);
		if (row % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(check->ctx);
		left -= count;
		TLV_TRY(graph_check_row(check, &reader, row, count));
	}
	if (left != 0)
		return damaged(&reader);
	return read_end(&reader);
}

static size_t
count_missing(const uint64_t *seen, size_t n)
{
	size_t found = 0;

	for (size_t w = 0; w < (n + 63) / 64; w++)
		found += (size_t) __builtin_popcountll(seen[w]);
	return n - found;
}

/* A node without an edge is there because of a self-loop. */
static tlv_status
check_isolated(const graph_check *check)
{
	const tlv_graph_header *header = &check->header;
	double isolated = (double) count_missing(check->seen[0], header->rows);

	if (header->kind == TLV_GRAPH_BIPARTITE)
		isolated += (double) count_missing(check->seen[1], header->columns);
	if (isolated > header->self_loops)
		return tlv_fail(check->ctx, TLV_CORRUPT,
						"%.0f nodes have no edge, but there are %.0f self-loops", isolated,
						header->self_loops);
	return TLV_OK;
}

/* Node lists and adjacency; seen has room for the rows, and the columns of bipartite graphs. */
static tlv_status
check_structure(graph_check *check)
{
	const tlv_graph_header *header = &check->header;
	bool bipartite = header->kind == TLV_GRAPH_BIPARTITE;
	size_t words = (header->rows + 63) / 64;
	tlv_status status;

	check->seen[0] = tlv_alloc0(check->ctx, words + (bipartite ? (header->columns + 63) / 64 : 0),
								sizeof(uint64_t));
	TLV_TRY_ALLOC(check->ctx, check->seen[0]);
	check->seen[1] = check->seen[0] + (bipartite ? words : 0);
	status = check_adjacency(check);
	if (status == TLV_OK)
		status = check_isolated(check);
	tlv_free(check->ctx, check->seen[0]);
	return status;
}

/*
 * Adds ones as the sum of the weights, in their order, does: exactly up to 2^53; beyond, the first
 * one rounds to an even last digit, and no further one changes anything.
 */
static void
add_ones(double *total, uint64_t ones)
{
	if (*total + (double) ones <= GRAPH_MAX_WHOLE)
		*total += (double) ones;
	else if (*total < GRAPH_MAX_WHOLE)
		*total = GRAPH_MAX_WHOLE;
	else
		*total += 1;
}

static tlv_status
check_multiplicities(const graph_check *check, double *total)
{
	byte_reader reader;
	bool all_ones = true, after_ones = false;
	uint64_t left = check->header.entries, looked = left, code = 0;

	*total = 0;
	TLV_TRY(graph_read_section(check, "multiplicities", 0, &reader));
	while (left > 0)
	{
		bool ones;
		uint64_t length;

		TLV_TRY(read_varint(&reader, &code));
		ones = code % 2 == 0;
		length = ones ? code / 2 + 1 : 1;
		if (length > left || (ones && after_ones) ||
			(!ones && (double) ((code >> 1) + 2) > GRAPH_MAX_WHOLE))
			return damaged(&reader);
		if (ones)
			add_ones(total, length);
		else
			*total += (double) ((code >> 1) + 2);
		all_ones &= ones;
		after_ones = ones;
		left -= length;
		if (looked - left >= GRAPH_STOP_STRIDE)
		{
			looked = left;
			TLV_TRY_CONTINUE(check->ctx);
		}
	}
	if (all_ones)
		return damaged(&reader);
	return read_end(&reader);
}

static tlv_status
graph_check_weights(const graph_check *check, double *total)
{
	bool whole = true;
	const void *data = NULL;
	const double *weights;

	*total = 0;
	TLV_TRY(tlv_frame_require(check->ctx, check->frame, "weights", TLV_FLOAT64,
							  check->header.entries, 1, &data));
	weights = data;
	for (size_t e = 0; e < check->header.entries; e++)
	{
		if (!isfinite(weights[e]) || weights[e] == 0)
			return tlv_fail(check->ctx, TLV_CORRUPT, "weight %zu is %g", e + 1, weights[e]);
		whole &= is_whole(weights[e]);
		*total += weights[e];
		if (e % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(check->ctx);
	}
	if (whole)
		return tlv_fail(check->ctx, TLV_CORRUPT, "all weights are integers");
	return TLV_OK;
}

static const char *const scalar_names[] = {
	"weighted", "self_loops", "self_loop_weight", "nulls", "entries", "total", "rows", "columns"};
#define SCALARS (sizeof(scalar_names) / sizeof(scalar_names[0]))

const tlv_name_sections tlv_graph_name_sections[2] = {{"node_name_offsets", "node_names"},
													  {"target_name_offsets", "target_names"}};

tlv_name_list
tlv_graph_names(const tlv_frame *frame, size_t side)
{
	if (frame->header->kind != TLV_GRAPH_BIPARTITE)
		side = 0;
	return tlv_name_list_of(frame, &tlv_graph_name_sections[side]);
}

/* From section `at` on there are only those of names, in their order. */
static tlv_status
check_name_sections(tlv_context *ctx, const tlv_frame *frame, uint32_t at)
{
	const tlv_section *table = frame->table;
	int sides = frame->header->kind == TLV_GRAPH_BIPARTITE ? 2 : 1;

	for (int side = 0; side < sides && at + 1 < frame->header->sections; side++)
		if (strcmp(table[at].name, tlv_graph_name_sections[side].offsets) == 0 &&
			strcmp(table[at + 1].name, tlv_graph_name_sections[side].bytes) == 0)
			at += 2;
	if (at < frame->header->sections)
		return tlv_fail(ctx, TLV_CORRUPT, "a graph has no section \"%s\" there", table[at].name);
	return TLV_OK;
}

/* Sections in their order, none besides; *weights gets the name of that of the weights, or NULL. */
static tlv_status
graph_check_sections(tlv_context *ctx, const tlv_frame *frame, const char **weights)
{
	const tlv_section *table = frame->table;
	uint32_t fixed = SCALARS + (frame->header->kind == TLV_GRAPH_BIPARTITE ? 3 : 2);
	const char *tail[] = {"nodes", "targets", "adjacency"};

	if (frame->header->kind != TLV_GRAPH_BIPARTITE)
		tail[1] = "adjacency";
	*weights = NULL;
	for (uint32_t s = 0; s < fixed; s++)
	{
		const char *name = s < SCALARS ? scalar_names[s] : tail[s - SCALARS];

		if (s >= frame->header->sections)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing", name);
		if (strcmp(table[s].name, name) != 0)
			return tlv_fail(ctx, TLV_CORRUPT, "section %u is \"%s\" instead of \"%s\"", s + 1,
							table[s].name, name);
	}
	if (fixed < frame->header->sections && (strcmp(table[fixed].name, "multiplicities") == 0 ||
											strcmp(table[fixed].name, "weights") == 0))
		*weights = table[fixed++].name;
	return check_name_sections(ctx, frame, fixed);
}

static tlv_status
check_scalars(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const whole[] = {"weighted", "self_loops", "nulls",
										"entries",	"rows",		  "columns"};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		TLV_TRY(tlv_frame_require_whole(ctx, frame, whole[i]));
	TLV_TRY(tlv_frame_require(ctx, frame, "total", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "self_loop_weight", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "self_loop_weight", 0));
	for (size_t i = 0; i < SCALARS; i++) /* zero has one form, too */
	{
		double value = tlv_frame_scalar(frame, scalar_names[i], 0);

		if (signbit(value) && (value == 0 || strcmp(scalar_names[i], "total") != 0))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is negative", scalar_names[i]);
	}
	return TLV_OK;
}

static tlv_status
check_header(tlv_context *ctx, const tlv_graph_header *header, double weighted)
{
	if (weighted > 1)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"weighted\" is %g", weighted);
	if (header->rows > (size_t) TLV_DICTIONARY_MAX || header->columns > (size_t) TLV_DICTIONARY_MAX)
		return tlv_fail(ctx, TLV_CORRUPT, "the graph has more than %d nodes", TLV_DICTIONARY_MAX);
	if (header->kind != TLV_GRAPH_BIPARTITE && header->rows != header->columns)
		return tlv_fail(ctx, TLV_CORRUPT, "a graph of one set of nodes has %zu and %zu",
						header->rows, header->columns);
	if ((header->self_loops > 0) != (header->self_loop_weight > 0) ||
		(header->self_loops > 0 && header->kind == TLV_GRAPH_BIPARTITE))
		return tlv_fail(ctx, TLV_CORRUPT, "%.0f self-loops of weight %g", header->self_loops,
						header->self_loop_weight);
	return TLV_OK;
}

static tlv_status
check_graph(tlv_context *ctx, const tlv_frame *frame)
{
	graph_check check = {.ctx = ctx, .frame = frame};
	const char *weights = NULL;
	double total;

	TLV_TRY(graph_check_sections(ctx, frame, &weights));
	TLV_TRY(check_scalars(ctx, frame));
	tlv_graph_read_header(frame, &check.header);
	TLV_TRY(check_header(ctx, &check.header, tlv_frame_scalar(frame, "weighted", 0)));
	/* The lists bound the counts by bytes that are there, before anything is allocated. */
	TLV_TRY(check_nodes(&check, "nodes", check.header.rows));
	if (check.header.kind == TLV_GRAPH_BIPARTITE)
		TLV_TRY(check_nodes(&check, "targets", check.header.columns));
	TLV_TRY(tlv_name_list_check(ctx, frame, &tlv_graph_name_sections[0], check.header.rows));
	if (check.header.kind == TLV_GRAPH_BIPARTITE)
		TLV_TRY(tlv_name_list_check(ctx, frame, &tlv_graph_name_sections[1], check.header.columns));
	TLV_TRY(check_structure(&check));
	total = (double) check.header.entries;
	if (weights != NULL)
		TLV_TRY(strcmp(weights, "weights") == 0 ? graph_check_weights(&check, &total)
												: check_multiplicities(&check, &total));
	if (total != check.header.total)
		return tlv_fail(ctx, TLV_CORRUPT, "the edges weigh %.17g, the header says %.17g", total,
						check.header.total);
	return TLV_OK;
}

#define GRAPH_RULES(constant)                                                                      \
	.check = check_graph,                                                                          \
	.accumulator = &tlv_graph_accumulator_classes[TLV_KIND_GRAPH_##constant - 1]

const tlv_kind tlv_kind_graph_undirected = {TLV_KIND_LINE(GRAPH_UNDIRECTED, graph_undirected),
											GRAPH_RULES(UNDIRECTED)};
const tlv_kind tlv_kind_graph_directed = {TLV_KIND_LINE(GRAPH_DIRECTED, graph_directed),
										  GRAPH_RULES(DIRECTED)};
const tlv_kind tlv_kind_graph_bipartite = {TLV_KIND_LINE(GRAPH_BIPARTITE, graph_bipartite),
										   GRAPH_RULES(BIPARTITE)};
