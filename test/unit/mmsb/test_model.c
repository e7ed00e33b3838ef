/*
 * test_model.c - the stored form of block models, what it refuses, and
 * memberships of new nodes against values computed elsewhere.
 */
#include "rows.h"
#include "pool_setup.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/optimize.h"
#include "infer.h"
#include "model/mmsb/infer.h"

#define NODES 7

/* Six nodes with memberships of three communities, and one without edges. */
static const int64_t ids[NODES] = {-5, 1, 2, 30, 31, 40, INT64_MAX};
static size_t start[NODES + 1] = {0, 1, 2, 3, 5, 7, 9, 9};
static uint16_t community[] = {0, 1, 2, 0, 1, 0, 2, 1, 2};
static float share[] = {1, 1, 1, 0.5F, 0.5F, 0.25F, 0.75F, 0.5F, 0.5F};
static const double theta[NODES] = {1, 2, 0.5, 1, 1.5, 0.25, 0};
static const double degree[NODES] = {3, 2, 1, 4, 5, 6, 0};
static const double sizes[6] = {1.75, 2, 2.25, 1.75, 2, 2.25};
static const double connectivity[9] = {0.9, 0.1, 0.2, 0.1, 0.8, 0.05, 0.2, 0.05, 0.7};

static tlv_mmsb_parts
parts_of(tlv_graph_kind graph, double alpha0, bool degree_corrected, const double *alpha)
{
	tlv_mmsb_parts parts = {.k = 3,
							.sides = graph == TLV_GRAPH_UNDIRECTED ? 1 : 2,
							.graph = graph,
							.degree_corrected = degree_corrected,
							.alpha0 = alpha0,
							.seed = 3,
							.alpha = alpha,
							.sizes = sizes,
							.connectivity = connectivity};

	for (size_t s = 0; s < parts.sides; s++)
	{
		parts.side[s].n = NODES;
		parts.side[s].nodes = ids;
		parts.side[s].degree = degree;
		parts.side[s].propensity = degree_corrected ? theta : NULL;
		parts.side[s].memberships = (tlv_memberships){NODES, start, community, share};
	}
	return parts;
}

static tlv_frame
stored_model(tlv_graph_kind graph, double alpha0, bool degree_corrected)
{
	static const double none[6] = {0};
	double alpha[6] = {alpha0 / 2, alpha0 / 4, alpha0 / 4, alpha0 / 2, alpha0 / 4, alpha0 / 4};
	tlv_mmsb_parts parts = parts_of(graph, alpha0, degree_corrected, alpha0 > 0 ? alpha : none);
	tlv_frame frame;

	frame = MADE(tlv_mmsb_write, &parts);
	assert_ptr_equal(frame.kind, &tlv_kind_mmsb);
	return frame;
}

TEST(test_round_trip)
{
	for (int graph = TLV_GRAPH_UNDIRECTED; graph <= TLV_GRAPH_BIPARTITE; graph++)
		for (int corrected = 0; corrected < 2; corrected++)
		{
			tlv_frame frame = stored_model((tlv_graph_kind) graph, 1, corrected == 1), again;
			tlv_mmsb_parts parts;

			assert_int_equal(tlv_model_components(&frame), 3);
			assert_ok(tlv_mmsb_read(&ctx, &frame, &parts));
			assert_equal(parts.k, 3);
			assert_equal(parts.graph, (tlv_graph_kind) graph);
			assert_equal(parts.sides, graph == TLV_GRAPH_UNDIRECTED ? 1 : 2);
			assert_equal(parts.degree_corrected, corrected == 1);
			assert_equal(parts.seed, 3);
			assert_true(!parts.poisson);
			assert_equal(parts.alpha0, 1);
			for (size_t s = 0; s < parts.sides; s++)
			{
				assert_equal(parts.side[s].n, NODES);
				assert_equal(parts.side[s].memberships.n, NODES);
				assert_memory_equal(parts.side[s].nodes, ids, sizeof(ids));
				assert_memory_equal(parts.side[s].degree, degree, sizeof(degree));
				assert_equal(parts.side[s].propensity == NULL, corrected == 0);
				assert_memory_equal(parts.side[s].memberships.start, start, sizeof(start));
				assert_memory_equal(parts.side[s].memberships.community, community,
									sizeof(community));
				assert_memory_equal(parts.side[s].memberships.share, share, sizeof(share));
			}
			again = MADE(tlv_mmsb_write, &parts);
			assert_true(tlv_digest_equal(&again.header->digest, &frame.header->digest));
		}
}

static void
corrupt_scalar(const tlv_frame *frame, const char *name, double value)
{
	assert_int_equal(forged(frame, name, TLV_FLOAT64, 1, 1, &value), TLV_CORRUPT);
	assert_int_equal(forged(frame, name, TLV_FLOAT64, 1, 1, NULL), TLV_CORRUPT);
}

TEST(test_corrupt)
{
	tlv_frame frame = stored_model(TLV_GRAPH_UNDIRECTED, 1, true);
	tlv_frame two = stored_model(TLV_GRAPH_DIRECTED, 1, true);
	uint16_t support[NODES] = {1, 1, 1, 2, 2, 2, 0}, communities[9];
	static const uint16_t too_few[NODES] = {1, 1, 1, 2, 2, 1, 0};
	static const uint16_t of_others[NODES] = {1, 1, 1, 2, 3, 1, 0}; /* of the right sum */
	static const double negative[9] = {1, 1, -1, 1, 1, 1, 1, 1, 1};
	static const double huge[9] = {1, 1, 1e200, 1, 1, 1, 1, 1, 1};
	float shares[9];
	int64_t nodes[NODES];
	const struct
	{
		const tlv_frame *of;
		const char *name;
		tlv_element element;
		size_t rows, columns;
		const void *data;
	} wrong[] = {{&frame, "support_1", TLV_BYTES, 2 * NODES, 1, too_few},
				 {&frame, "support_1", TLV_BYTES, 2 * NODES, 1, of_others},
				 {&frame, "support_1", TLV_BYTES, 2 * NODES - 2, 1, support},
				 {&frame, "communities_1", TLV_BYTES, 16, 1, community},
				 {&frame, "nodes_1", TLV_INT64, NODES, 1, nodes},
				 {&frame, "nodes_1", TLV_INT64, 0, 1, nodes},
				 {&frame, "connectivity", TLV_FLOAT64, 3, 3, negative},
				 {&frame, "propensity_1", TLV_FLOAT64, NODES, 1, negative},
				 {&frame, "degree_1", TLV_FLOAT64, NODES, 1, negative},
				 {&frame, "alpha", TLV_FLOAT64, 3, 1, negative},
				 {&frame, "sizes", TLV_FLOAT64, 3, 1, negative},
				 {&frame, "connectivity", TLV_FLOAT64, 3, 3, huge},
				 {&frame, "connectivity", TLV_FLOAT64, 2, 3, huge},
				 {&frame, "connectivity", TLV_FLOAT64, 2, 2, huge},
				 {&frame, "alpha", TLV_FLOAT64, 3, 2, huge},
				 {&frame, "diagnostics", TLV_FLOAT64, 1, 1, huge},
				 {&two, "nodes_2", TLV_INT64, NODES, 1, NULL},
				 {&two, "alpha", TLV_FLOAT64, 3, 1, huge}};

	corrupt_scalar(&frame, "alpha0", -1);
	corrupt_scalar(&frame, "graph", 0);
	corrupt_scalar(&frame, "graph", 4);
	corrupt_scalar(&frame, "graph", 2); /* there is no second side */
	corrupt_scalar(&frame, "poisson", 2);
	corrupt_scalar(&frame, "degree_corrected", 0.5);
	corrupt_scalar(&frame, "seed", -1);
	assert_ok(forged(&frame, "support_1", TLV_BYTES, 2 * NODES, 1, support));
	memcpy(nodes, ids, sizeof(nodes));
	nodes[1] = nodes[0];
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(forged(wrong[i].of, wrong[i].name, wrong[i].element, wrong[i].rows,
								wrong[i].columns, wrong[i].data),
						 TLV_CORRUPT);
	for (int i = 0; i < 2; i++) /* beyond the last one, and twice */
	{
		memcpy(communities, community, sizeof(communities));
		communities[i == 0 ? 2 : 4] = i == 0 ? 3 : 0;
		assert_int_equal(forged(&frame, "communities_1", TLV_BYTES, 18, 1, communities),
						 TLV_CORRUPT);
	}
	memcpy(shares, share, sizeof(shares));
	for (int i = 0; i < 4; i++)
	{
		static const float bad[] = {0, -0.5F, NAN, 0.51F};

		shares[3] = bad[i];
		assert_int_equal(forged(&frame, "shares_1", TLV_BYTES, 36, 1, shares), TLV_CORRUPT);
	}
	shares[3] = 0.5002F;
	assert_ok(forged(&frame, "shares_1", TLV_BYTES, 36, 1, shares));
}

/* ---- new nodes ---- */

static const tlv_bag_image *
bag_of(size_t n, const int64_t *items, const double *weights)
{
	size_t size = tlv_bag_size(n, items, weights);
	void *image = tlv_alloc0(&ctx, size, 1);

	tlv_bag_write(n, items, weights, image);
	return image;
}

/*
 * numpy over the six nodes: posterior and likelihood (alpha0 = 0); variational steps with scipy's
 * digamma from even parameters until shares move by less than 1e-5 (alpha0 = 1).
 */
static const struct
{
	int bag, alpha0, corrected;
	double shares[3], log_likelihood;
} expected[] = {
	{0, 0, 0, {0.598119347346383, 0.271426256125433, 0.130454396528184}, -5.63880639495415},
	{0, 0, 1, {0.583837943147197, 0.171701702003438, 0.244460354849365}, -5.48290179381981},
	{0, 1, 0, {0.5452158537978902, 0.354252841508438, 0.10053130469367183}, -4.809851825737651},
	{0, 1, 1, {0.7162904867512249, 0.1145122542852062, 0.169197258963569}, -4.706024933414371},
	{1, 0, 0, {0.0327723145518967, 0.000546766900853675, 0.96668091854725}, -4.9318247511743},
	{1, 0, 1, {0.0173498107873031, 0.000187589325978985, 0.982462599886718}, -3.75861941404181},
	{1, 1, 0, {0.08072042834252517, 0.09072552241394939, 0.8285540492435255}, -4.409971236524579},
	{1, 1, 1, {0.06890060938045092, 0.06412031327054873, 0.8669790773490003}, -3.2466406869461575},
};

TEST(test_infer)
{
	static const int64_t items[2][5] = {{-5, 30, 40, 77, INT64_MAX}, {2, 31}};
	static const double weights[2][5] = {{1, 1, 1, 9, 3}, {2, 1}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		for (int graph = TLV_GRAPH_UNDIRECTED; graph <= TLV_GRAPH_DIRECTED; graph++)
		{
			tlv_frame frame = stored_model((tlv_graph_kind) graph, expected[i].alpha0,
										   expected[i].corrected == 1);
			int b = expected[i].bag;
			/* unknown nodes and those without memberships tell nothing */
			const tlv_bag_image *bag = bag_of(b == 0 ? 5 : 2, items[b], weights[b]);
			double shares[3], value;
			tlv_model *model = open_model(frame);

			assert_ok(infer_values(&ctx, model, TLV_AS_BAG(bag), shares));
			assert_all_close(3, shares, expected[i].shares, expected[i].alpha0 ? 1e-8 : 1e-9);
			assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_BAG(bag), &value));
			assert_close(value, expected[i].log_likelihood, expected[i].alpha0 ? 1e-8 : 1e-9);
			/* nobody known: the prior */
			bag = bag_of(1, items[0] + 3, weights[0] + 3);
			assert_ok(infer_values(&ctx, model, TLV_AS_BAG(bag), shares));
			assert_close(shares[0], expected[i].alpha0 > 0 ? 0.5 : 1.75 / 6, 1e-12);
			assert_ok(infer_values(&ctx, model, TLV_AS_BAG(bag_of(0, NULL, NULL)), shares));
			assert_close(shares[0] + shares[1] + shares[2], 1, 1e-12);
		}
}

TEST(test_odd_models)
{
	static const double nothing[9] = {0}, alpha[3] = {1, 1, 1};
	static const int64_t items[] = {-5, 1};
	static const double weights[] = {1, 1e-3}, huge[] = {1e200, 1};
	tlv_mmsb_parts parts = parts_of(TLV_GRAPH_UNDIRECTED, 3, false, alpha);
	double extreme[9], shares[3], value;
	tlv_frame frame;
	tlv_model *model;

	/* no edges at all */
	parts.connectivity = nothing;
	frame = MADE(tlv_mmsb_write, &parts);
	model = open_model(frame);
	assert_ok(infer_values(&ctx, model, TLV_AS_BAG(bag_of(2, items, weights)), shares));
	assert_close(shares[1], 1.0 / 3, 1e-15);
	/* rates at both ends of what is allowed */
	for (int scale = -1; scale <= 1; scale += 2)
	{
		for (int i = 0; i < 9; i++)
			extreme[i] = connectivity[i] * (scale < 0 ? 1e-100 : 1e99);
		parts.connectivity = extreme;
		frame = MADE(tlv_mmsb_write, &parts);
		model = open_model(frame);
		assert_ok(infer_values(&ctx, model, TLV_AS_BAG(bag_of(2, items, weights)), shares));
		assert_close(shares[0] + shares[1] + shares[2], 1, 1e-9);
		assert_ok(
			tlv_model_log_likelihood(&ctx, model, TLV_AS_BAG(bag_of(2, items, weights)), &value));
		assert_true(isfinite(value));
	}
	assert_int_equal(infer_values(&ctx, model, TLV_AS_BAG(bag_of(2, items, huge)), shares),
					 TLV_BAD_DATA);
}

/*
 * The model has no edges between its communities: the shares and the likelihood
 * of a node of one with neighbours of another alone are finite, whatever the weights, and so are
 * those of a new node of such neighbours.
 */
TEST(test_impossible_edges)
{
	static const double diagonal[9] = {0.9, 0, 0, 0, 0.8, 0, 0, 0, 0.7};
	static const double alpha[3] = {0.01, 0.005, 0.005};
	static const int64_t items[] = {1};

	for (int corrected = 0; corrected < 2; corrected++)
		for (double weight = 12; weight < 1e100; weight *= 1e20)
		{
			tlv_mmsb_parts parts = parts_of(TLV_GRAPH_UNDIRECTED, 0.02, corrected == 1, alpha);
			const tlv_bag_image *bag = bag_of(1, items, &weight);
			double shares[3], edges[9] = {0}, value;
			tlv_node_row node;
			tlv_frame frame;
			tlv_model *model;

			parts.connectivity = diagonal;
			frame = MADE(tlv_mmsb_write, &parts);
			model = open_model(frame);
			assert_ok(tlv_mmsb_infer_node(&ctx, model, &(tlv_neighbours){.node = -5, .bag = bag},
										  shares, edges, &node));
			assert_true(isfinite(node.log_likelihood));
			assert_true(tlv_is_distribution(3, shares, 1));
			for (int i = 0; i < 9; i++)
				assert_true(isfinite(edges[i]) && edges[i] >= 0);
			assert_ok(infer_values(&ctx, model, TLV_AS_BAG(bag), shares));
			assert_above(shares[1], shares[0]);
			assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_BAG(bag), &value));
			assert_true(isfinite(value));
		}
}

/* The conditions of Karush, Kuhn and Tucker of random problems, singular ones among them. */
TEST(test_quadratic)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, 5);
	for (int trial = 0; trial < 400; trial++)
	{
		size_t n = 1 + trial % 12, m = 1 + tlv_rng_below(&rng, 14);
		bool simplex = trial % 2 == 0;
		double a[14 * 12], gram[144] = {0}, moment[12] = {0}, x[12], work[12 * 17];
		double level = -HUGE_VAL, sum = 0, largest = 0;

		tlv_rng_fill_normal(&rng, m * n, a);
		for (size_t r = 0; r < m; r++)
		{
			double b = tlv_rng_normal(&rng);

			for (size_t i = 0; i < n; i++)
			{
				moment[i] += a[r * n + i] * b;
				for (size_t j = 0; j < n; j++)
					gram[i * n + j] += a[r * n + i] * a[r * n + j];
			}
		}
		assert_ok(tlv_quadratic_nonnegative(&ctx, n, gram, moment, simplex, x, work));
		for (int pass = 0; pass < 2; pass++)
			for (size_t i = 0; i < n; i++)
			{
				double gradient = moment[i];

				for (size_t j = 0; j < n; j++)
					gradient -= gram[i * n + j] * x[j];
				if (pass == 0 && x[i] > 0)
					level = fmax(level, gradient);
				largest = fmax(largest, fabs(moment[i]) + gram[i * n + i]);
				if (pass == 1)
				{
					double threshold = simplex ? level : 0;

					assert_at_least(x[i], 0);
					assert_at_most(gradient, threshold + 1e-7 * largest);
					if (x[i] != 0)
						assert_at_least(gradient, threshold - 1e-7 * largest);
					sum += x[i];
				}
			}
		if (simplex)
			assert_close(sum, 1, 1e-12);
	}
}

static tlv_status
open_and_infer(const tlv_frame *frame, const tlv_bag_image *bag, double *shares)
{
	tlv_model *model;

	TLV_TRY(tlv_kind_mmsb.model->open(&ctx, frame, &model));
	return infer_values(&ctx, model, TLV_AS_BAG(bag), shares);
}

/* Memory that ends anywhere, and a user who stops anywhere, give errors and nothing else. */
TEST(test_faults)
{
	static const int64_t items[] = {-5, 30, 40};
	static const double weights[] = {1, 1, 1};
	tlv_frame frame = stored_model(TLV_GRAPH_DIRECTED, 1, true);
	const tlv_bag_image *bag = bag_of(3, items, weights);
	double shares[3];

	assert_above(COUNT_REFUSALS(64, open_and_infer(&frame, bag, shares)), 0);
	assert_cancelled_anywhere(1, SIZE_MAX, open_and_infer(&frame, bag, shares));
}

RUN_TESTS(setup, teardown)
