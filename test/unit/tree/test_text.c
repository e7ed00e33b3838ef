/*
 * test_text.c - trees as Newick, Graphviz and SVG: quoting, numbers, room for names.
 */
#include <locale.h>

#include "tree_learning_fixture.h"

typedef tlv_status (*writer)(tlv_context *, const tlv_tree *, const char *const *, char **);

static const writer writers[3] = {tlv_tree_newick, tlv_tree_dot, tlv_tree_svg};

/* Three variables below one hidden node, and a lone one. */
static tlv_tree
small_tree(void)
{
	static const int32_t ends[6] = {0, 4, 4, 1, 2, 4};
	tlv_tree tree = tree_of(4, 5, 3, ends);

	tree.length[0] = 0.25;
	tree.length[1] = 1.0000004;
	tree.length[2] = 12.3456789;
	return tree;
}

static char *
written(writer write, const tlv_tree *tree, const char *const *names)
{
	char *text = NULL;

	assert_ok(write(&ctx, tree, names, &text));
	assert_non_null(text);
	return text;
}

static const char **
numbered_names(const tlv_tree *tree)
{
	const char **names = room(tree->nodes, sizeof(char *));

	for (size_t v = 0; v < tree->nodes; v++)
	{
		char *name = room(24, 1);

		snprintf(name, 24, v < tree->p ? "variable%zu" : "h%zu", v);
		names[v] = name;
	}
	return names;
}

static void
assert_has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("\"%s\" lacks \"%s\"", text, part);
}

TEST(test_newick)
{
	const char *plain[] = {"a", "b", "c", "d", "h1"};
	const char *odd[] = {"it's", "two words", "a_b\x01(c)", "", "\xC3\xA9\xFF"};
	static const int32_t ends[10] = {0, 4, 1, 4, 4, 5, 2, 5, 3, 5};
	tlv_tree tree = small_tree(), four;

	assert_string_equal(written(tlv_tree_newick, &tree, plain),
						"(a:0.25,b:1,c:12.345679)h1;\nd;\n");
	assert_string_equal(written(tlv_tree_newick, &tree, odd),
						"('it''s':0.25,'two words':1,'a_b (c)':12.345679)"
						"'\xC3\xA9\xEF\xBF\xBD';\n'';\n");
	assert_ok(tlv_tree_create(&ctx, 4, 6, 5, &four));
	memcpy(four.ends, ends, sizeof(ends));
	four.support[2] = 0.985;
	{
		const char *names[] = {"a", "b", "c", "d", "h1", "h2"};

		assert_string_equal(written(tlv_tree_newick, &four, names),
							"(a:0,b:0,(c:0,d:0)h2[&support=98.5]:0)h1;\n");
	}
}

TEST(test_dot)
{
	const char *odd[] = {"say \"x\"", "back\\slash", "line\nbreak", "<&>", "h1"};
	tlv_tree tree = small_tree();
	char *text;

	tree.support[1] = 0.5;
	text = written(tlv_tree_dot, &tree, odd);
	assert_has(text, "0 [label=\"say \\\"x\\\"\"];");
	assert_has(text, "1 [label=\"back\\\\slash\"];");
	assert_has(text, "2 [label=\"line break\"];");
	assert_has(text, "3 [label=\"<&>\"];");
	assert_has(text, "4 [label=\"h1\", shape=circle");
	assert_has(text, "0 -- 4 [len=0.25, penwidth=2.84];");
	assert_has(text, "4 -- 1 [len=1, penwidth=1.6, fontsize=8, label=\"50 %\"];");
	assert_memory_equal(text, "graph tree {\n", 13);
	assert_non_null(strstr(text, "\n}\n"));
}

TEST(test_svg)
{
	const char *odd[] = {"<b>&\"x\"", "c\x02", "\xED\xA0\x80\xC0",
						 "a name that is longer than forty characters altogether", "h1"};
	tlv_tree tree = small_tree();
	char *text;

	tree.error[0] = 0.0123;
	tree.support[1] = 0.42;
	text = written(tlv_tree_svg, &tree, odd);
	assert_has(text, ">&lt;b&gt;&amp;\"x\"</text>");
	assert_has(text, ">c\xEF\xBF\xBD</text>");
	/* the bytes of a surrogate, then one that begins nothing */
	assert_has(text, ">\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD</text>");
	assert_has(text, "<title>a name that is longer than forty characters altogether</title>"
					 "a name that is longer \xE2\x80\xA6"
					 "altogether</text>");
	assert_has(text, "<title>length 0.25 \xC2\xB1 0.012</title>");
	assert_has(text, "stroke-dasharray=\"5 3\" d=");
	assert_has(text, "support 42 %");
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "script"));
	assert_has(text, "</svg>\n");
}

/* Names stand at least their height apart on the ring, and within the picture. */
TEST(test_room)
{
	static const size_t sizes[5] = {3, 20, 60, 100, 400};

	for (int c = 0; c < 5; c++)
	{
		size_t p = sizes[c], labels = 0;
		double width, height, *x, *y;
		tlv_tree tree;
		const char *at;
		char *end;

		assert_ok(tlv_tree_random(&ctx, p, p / 4, 1, &tree));
		if (c == 3)
			observe_some(&tree);
		p = tree.p;
		x = room(p, sizeof(double));
		y = room(p, sizeof(double));
		at = written(tlv_tree_svg, &tree, numbered_names(&tree));
		width = strtod(strstr(at, "width=\"") + 7, NULL);
		height = strtod(strstr(at, "height=\"") + 8, NULL);
		while ((at = strstr(at, "<text transform=\"translate(")) != NULL)
		{
			assert_below(labels, p);
			x[labels] = strtod(at + 27, &end);
			y[labels] = strtod(end, NULL);
			assert_above(x[labels], 60);
			assert_below(x[labels], width - 60);
			assert_above(y[labels], 60);
			assert_below(y[labels], height - 60);
			for (size_t i = 0; i < labels; i++)
				assert_above(hypot(x[i] - x[labels], y[i] - y[labels]), 14);
			labels++;
			at++;
		}
		assert_int_equal(labels, p);
		pool_reset(&memory, &ctx);
	}
}

/* A comma for the point, where such a locale is installed. */
TEST(test_locale)
{
	const char *names[] = {"a", "b", "c", "d", "h1"};
	tlv_tree tree = small_tree();
	char *before[3];

	for (int w = 0; w < 3; w++)
		before[w] = written(writers[w], &tree, names);
	if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
		setlocale(LC_ALL, "");
	for (int w = 0; w < 3; w++)
		assert_string_equal(written(writers[w], &tree, names), before[w]);
	setlocale(LC_ALL, "C");
}

/* A chain is as deep as it is long: nothing may recurse. */
TEST(test_deep)
{
	enum
	{
		P = 20000
	};
	tlv_tree tree;
	const char **names;

	assert_ok(tlv_tree_create(&ctx, P, P, P - 1, &tree));
	for (int32_t e = 0; e < P - 1; e++)
	{
		tree.ends[2 * e] = e;
		tree.ends[2 * e + 1] = e + 1;
		tree.length[e] = 0.1;
	}
	names = numbered_names(&tree);
	for (int w = 0; w < 3; w++)
		assert_above(strlen(written(writers[w], &tree, names)), (size_t) P * 15);
}

TEST(test_stop)
{
	tlv_tree tree;
	const char **names;
	char *text;

	assert_ok(tlv_tree_random(&ctx, 50, 10, 1, &tree));
	names = numbered_names(&tree);
	for (int w = 0; w < 3; w++)
	{
		size_t used = ctx.arena.used, need;

		ctx.arena.peak = used;
		text = written(writers[w], &tree, names);
		need = ctx.arena.peak - used;
		tlv_free(&ctx, text);
		assert_int_equal(ctx.arena.used, used);
		for (size_t limit = 1; limit < 30; limit++)
		{
			assert_short_of_memory(need * limit / 30, writers[w](&ctx, &tree, names, &text));
			assert_null(text);
		}
	}
	assert_cancelled_at(2, tlv_tree_svg(&ctx, &tree, names, &text));
	assert_null(text);
}

RUN_TESTS(setup, teardown)
