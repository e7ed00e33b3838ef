/*
 * picture.h - pictures of models as SVG on one line: what the kinds draw with.
 *
 * Strings keep the encoding of the model and what XML forbids is escaped; tlv_svg replaces every
 * character above ASCII by a reference.  A picture is as wide as its contents require, has no
 * script and no font but generic families, and has titles that describe its shapes.
 *
 * Which picture a kind has is the member draw of its class (model.h).  Drawings of trees are in
 * tree_pictures.h, and pages in page.h.
 */
#ifndef TENSORLV_PICTURE_H
#define TENSORLV_PICTURE_H

#include "tensorlv/model/model.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/json.h"
#include "tensorlv/num/names.h"

/* Components that are drawn, words of a topic, columns of a matrix: the first ones. */
#define TLV_PICTURE_COMPONENTS 64
#define TLV_PICTURE_WORDS	   8
#define TLV_PICTURE_COLUMNS	   64
/* Width of the names to the left of lines and rows. */
#define TLV_PICTURE_NAMES 150.0
/* Rows that are drawn among components: the first ones. */
#define TLV_PICTURE_ROWS 2000

/* Rows of vectors, each with the component that it belongs to. */
typedef struct tlv_picture_rows
{
	size_t n, d;
	double *x;		   /* d x n; NaN: missing */
	size_t *component; /* n, from 0 */
	tlv_text *names;   /* n; bytes NULL: none */
} tlv_picture_rows;

struct tlv_picture
{
	tlv_json_writer text;
	bool utf8;					  /* texts are, and may be cut between two characters */
	const tlv_picture_rows *rows; /* drawn among the components; NULL: none */
	double width, height;		  /* as far as anything has been drawn */
	double left;				  /* of 0 */
	tlv_json_writer body;
};

/* What is drawn of a component. */
typedef struct tlv_picture_component
{
	tlv_text label; /* bytes NULL: "component 3" */
	const char *what;
	size_t number; /* from 1 */
	double weight; /* NaN: it has none */
} tlv_picture_component;

/* Errors of all: memory, TLV_LIMIT, TLV_CANCELLED. */

/* Weights that the model keeps, which are those of tlv_components, in place of others; they need
 * not sum to 1: every row of a dictionary uses several atoms. */
extern void tlv_stored_weights(const tlv_frame *model, size_t k, double *weights);

/* The components of a model, called `what` where they have no labels. */
extern tlv_status tlv_picture_components(tlv_context *ctx, const tlv_frame *model, const char *what,
										 tlv_picture_component **components);

/* Adds a shape: every % of the template is the next of the numbers, every $ a colour: that of the
 * given component. */
extern tlv_status tlv_picture_add(tlv_context *ctx, tlv_picture *picture, const char *shape,
								  const double *numbers, size_t component);

/* Adds a text at x and y, the given number of characters at most, both ends of a longer one; style:
 * attributes, or "". */
extern tlv_status tlv_picture_text(tlv_context *ctx, tlv_picture *picture, double x, double y,
								   const char *style, tlv_text text, size_t most);

/* Adds a title with the whole text, and nothing without bytes. */
extern tlv_status tlv_picture_title(tlv_context *ctx, tlv_picture *picture, tlv_text text);

/* Adds the name of a component, with its weight in percent; of a long label both ends and the
 * number of the component, and the whole label as a title. */
extern tlv_status tlv_picture_name(tlv_context *ctx, tlv_picture *picture, double x, double y,
								   const char *style, const tlv_picture_component *component);

/* The picture reaches as far as that. */
extern void tlv_picture_reach(tlv_picture *picture, double x, double y);

/* The whole document, in picture->text. */
extern tlv_status tlv_picture_finish(tlv_context *ctx, tlv_picture *picture);

/* ---- whole drawings ---- */

/* Two groups of leaves, by a leaf of each, that are joined at a distance. */
typedef struct tlv_picture_joint
{
	size_t a;
	size_t b;
	double distance;
} tlv_picture_joint;

/* Below what there is: n named leaves one below the other, and a tree of the joints, in the order
 * of which distances do not fall; lines are as long as these. */
extern tlv_status tlv_draw_joints(tlv_context *ctx, tlv_picture *picture, size_t n,
								  const tlv_picture_component *components, const tlv_text *names,
								  size_t joints, const tlv_picture_joint *joint);

/* A word of a card, or a row of a list: its share, and the interval of that, NaN where it has none.
 */
typedef struct tlv_picture_word
{
	tlv_text name;
	double share;
	double low, high;
} tlv_picture_word;

/* A card for component i of k with its n words, the largest share first, intervals as lines; all
 * cards are as wide as the longest name of a component needs. */
extern tlv_status tlv_draw_words(tlv_context *ctx, tlv_picture *picture, size_t k,
								 const tlv_picture_component *components, size_t i, size_t n,
								 const tlv_picture_word *words);

/* Below the shapes that are there: n proportions, one below another, as points with their
 * intervals, on an axis from 0 to 1 with a broken line at the reference. */
extern tlv_status tlv_draw_intervals(tlv_context *ctx, tlv_picture *picture, size_t n,
									 const tlv_picture_word *rows, double reference);

/*
 * A matrix of n rows, one for every component, and columns, numbers[i + n j]: the darker the
 * larger, negative ones in another colour.  heads: of columns, as far as they have names.
 */
extern tlv_status tlv_draw_matrix(tlv_context *ctx, tlv_picture *picture, size_t n,
								  const tlv_picture_component *components, size_t columns,
								  const double *numbers, const tlv_name_list *heads);

/* Components that are squares of side x side numbers, row by row from the top (side^2 x n), as
 * tiles: the darker the larger, negative ones in another colour. */
extern tlv_status tlv_draw_tiles(tlv_context *ctx, tlv_picture *picture, size_t n,
								 const tlv_picture_component *components, size_t side,
								 const double *numbers);

/* Components as normal distributions of d dimensions. */
struct tlv_picture_normals
{
	size_t n, d;
	const double *weights; /* n */
	const double *means;   /* d x n */
	/* each x n: a common variance (1), variances (d), or packed covariances (d (d + 1) / 2). */
	const double *variances;
	size_t each;
	bool directions; /* rows are drawn with length 1 */
	tlv_name_list dimensions;
};

/*
 * The two dimensions that tell the components apart best, the better first; twice the same of one
 * dimension.  Criterion: the sum over all pairs of components of sqrt(w_i w_j) exp(-B_ij), B_ij the
 * Bhattacharyya distance of the two normal distributions in the chosen dimensions, which bounds the
 * probability of assigning a row to the wrong component (Kailath 1967).  The first dimension
 * minimises it alone, the second together with the first.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_picture_plane(tlv_context *ctx, const tlv_picture_normals *normals,
									size_t place[2]);

/* Ellipses of two standard deviations about the means in the two dimensions of tlv_picture_plane,
 * and the rows of the picture as points; densities times weights in one dimension. */
extern tlv_status tlv_draw_normals(tlv_context *ctx, tlv_picture *picture,
								   const tlv_picture_component *components,
								   const tlv_picture_normals *normals);

/* States on a circle, as large as their weights, in rings as wide as transitions[j + n j], and
 * arrows as wide as transitions[to + n from] among all that leave from. */
extern tlv_status tlv_draw_chain(tlv_context *ctx, tlv_picture *picture, size_t n,
								 const tlv_picture_component *components,
								 const double *transitions);

#endif /* TENSORLV_PICTURE_H */
