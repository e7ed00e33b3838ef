/*
 * page.h - a model as a self-contained HTML page, and what the kinds add to it.
 *
 * A page has two parts.  The plain part is HTML that shows the components without any script.  The
 * digest is one JSON object from which the script of the page draws; docs/internals.md lists its
 * keys.  Both hold printable ASCII without markup of their own: texts of the model are
 * percent-encoded in the digest and character references in the plain part, so that every client,
 * encoding and COPY write the same file.  Bytes above ASCII are copied in the server's encoding
 * until tlv_page_finish, which takes both parts in UTF-8.
 *
 * The room contains what all pages share, with their scripts and styles.  What the page of a kind
 * shows is the member page of its class (model.h), since only its room knows the sections;
 * pictures are in picture.h.
 */
#ifndef TENSORLV_PAGE_H
#define TENSORLV_PAGE_H

#include "tensorlv/model/model.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/json.h"
#include "tensorlv/num/names.h"

/* Bytes of the digest at most, and of one field of a model in it the numbers. */
#define TLV_PAGE_DIGEST_MOST ((size_t) 1 << 26)
#define TLV_PAGE_NUMBERS	 15000
/* Rows and columns of a matrix between components. */
#define TLV_PAGE_SQUARE 200
/* Components that have a place in the map and neighbours. */
#define TLV_PAGE_MAP 200
/* Components, and bytes of a text that a page has. */
#define TLV_PAGE_COMPONENTS 1000
#define TLV_PAGE_TEXT		300
#define TLV_PAGE_TITLE		200
/* Bytes of the names of a list, and of a drawing: a longer one is left to tlv_svg. */
#define TLV_PAGE_NAMES	   300000
#define TLV_PAGE_PICTURE   250000
#define TLV_PAGE_WARNINGS  100
#define TLV_PAGE_INTERVALS 4000
/* Topics: words that a topic shows, and words of the page. */
#define TLV_PAGE_TOP   30
#define TLV_PAGE_WORDS 5000
/* Communities: nodes of the page; nodes and edges of the drawing of a graph. */
#define TLV_PAGE_NODES		 10000
#define TLV_PAGE_DRAWN_NODES 2000
#define TLV_PAGE_DRAWN_EDGES 10000
/* Examples: of a component, bytes of a title and of a text, numbers, states, reasons. */
#define TLV_PAGE_EXAMPLES	  20
#define TLV_PAGE_EXAMPLE_TEXT 2000
#define TLV_PAGE_EXAMPLE_X	  64
#define TLV_PAGE_EXAMPLE_PATH 2000
#define TLV_PAGE_EXAMPLE_WHY  10
/* Bytes of all examples, beyond which the later ones are only counted. */
#define TLV_PAGE_EXAMPLE_ALL ((size_t) 200 << 10)

typedef struct tlv_page
{
	tlv_json_writer data;  /* members of the digest, each behind a comma */
	tlv_json_writer plain; /* elements of the plain part */
} tlv_page;

/* How the entries of a section are chosen and written where a component is described. */
typedef enum tlv_page_content_form
{
	TLV_CONTENT_NUMBERS,	   /* means: those that differ most from the mean of all components */
	TLV_CONTENT_CATEGORIES,	   /* probabilities of categories: the same */
	TLV_CONTENT_PROBABILITIES, /* the largest */
	TLV_CONTENT_LOADINGS	   /* the largest absolute values, with their signs */
} tlv_page_content_form;

/*
 * A section that tells what a component contains: a matrix with a row for every component, or with
 * a column where its field says so.  Entries are called by their ids' names, else by the names of
 * dimensions, else `what` and a number.
 */
typedef struct tlv_page_content
{
	const char *section;
	tlv_page_content_form form;
	const char *what;
	const char *ids;					 /* the section of the entries' ids; NULL: none */
	const char *variances, *covariances; /* of numbers, within a component; NULL: not known */
	const char *concentrations;			 /* of directions: a variance is about 1 / concentration */
	size_t from;						 /* number of the first entry where it has no name */
} tlv_page_content;

/* How the models of a kind are shown.  A class without one has no page. */
typedef struct tlv_page_view
{
	const char *view; /* the script: a .js file of src/model/page */
	const char *what; /* one component: "topic" */
	/* Sections that the digest has as `fields`, in the form of tlv_to_json; NULL ends them. */
	const char *const *fields;
	/* Adds members of the kind's own.  graph: of the caller, NULL without; a kind whose `graphs` is
	 * false is never given one. */
	tlv_status (*put)(tlv_context *ctx, const tlv_frame *model, const tlv_frame *graph,
					  tlv_page *page);
	/* Sections that tell what components contain; one without a name ends them. */
	const tlv_page_content *contents;
	/* What each of the first n components contains, in words; NULL: `contents` tells it. */
	tlv_status (*describe)(tlv_context *ctx, const tlv_frame *model, size_t n, tlv_text *texts);
	/* Of a kind that tlv_match does not compare: the sections of an earlier model by which the
	 * script pairs components itself; NULL: there is no earlier model beside one of these. */
	const char *const *before;
	bool graphs;
} tlv_page_view;

/* What the caller adds to the model. */
typedef struct tlv_page_request
{
	tlv_text title;			  /* bytes NULL: that of the kind */
	const tlv_json *examples; /* NULL: none */
	const tlv_frame *graph;	  /* NULL: none */
	const tlv_frame *before;  /* an earlier model of the same kind; NULL: none */
} tlv_page_request;

/* A member's key behind a comma. */
extern tlv_status tlv_page_put_key(tlv_context *ctx, tlv_json_writer *data, const char *key);

/*
 * Both parts of a page, in the context's memory.  Errors: TLV_BAD_PARAMETER for examples of another
 * form, a graph where the kind shows none, a `before` of a kind whose components cannot be paired,
 * or that tlv_model_match refuses; memory, TLV_LIMIT, TLV_CANCELLED.
 */
extern tlv_status tlv_page_digest(tlv_context *ctx, const tlv_frame *model,
								  const tlv_page_request *request, tlv_page *page);

/* What each of the first n components contains, in words, in the server's encoding: what the page
 * shows of it first.  Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_page_describe(tlv_context *ctx, const tlv_frame *model, size_t n,
									tlv_text *texts);

/* What the model is, in words: its components, its kind and what it was fitted to.  Errors: memory.
 */
extern tlv_status tlv_page_describe_model(tlv_context *ctx, const tlv_frame *model, tlv_text *text);

/*
 * The whole document on one line, from the parts and the title in UTF-8; what is not UTF-8 becomes
 * U+FFFD.  Errors: memory, TLV_LIMIT.
 */
extern tlv_status tlv_page_finish(tlv_context *ctx, const tlv_frame *model, tlv_text title,
								  tlv_text data, tlv_text plain, tlv_json_writer *html);

/*
 * The rows of examples that have numbers (x), for a picture of the model, whose class has normals:
 * at most TLV_PICTURE_ROWS of them.  Examples are checked as those of its page are.  Errors:
 * TLV_BAD_PARAMETER, also for a row of another width; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_page_rows(tlv_context *ctx, const tlv_json *examples, const tlv_frame *model,
								tlv_picture_rows *rows);

/* ---- for views ---- */

/* A text as a JSON string, percent-encoded and cut between two characters; null without bytes. */
extern tlv_status tlv_page_put_text(tlv_context *ctx, tlv_json_writer *data, tlv_text text);

/* How many names of a list have a length, in bytes of the page; names of TLV_PAGE_TEXT bytes and
 * above count as that long. */
typedef struct tlv_page_lengths
{
	size_t n[TLV_PAGE_TEXT + 1];
} tlv_page_lengths;

extern void tlv_page_count_name(tlv_page_lengths *lengths, tlv_text name);

/* Bytes to which the names that were counted are cut so that they have TLV_PAGE_NAMES together, at
 * least 36 each: twelve of a text that is not ASCII. */
extern size_t tlv_page_name_length(const tlv_page_lengths *lengths);

/* The name cut between two characters, to at most `most` bytes of the page. */
extern tlv_text tlv_page_cut_name(tlv_text name, size_t most);

/* A text as HTML, with character references. */
extern tlv_status tlv_page_put_plain(tlv_context *ctx, tlv_json_writer *plain, tlv_text text);

/* A number with the given number of significant digits; null where it is not finite. */
extern tlv_status tlv_page_put_number(tlv_context *ctx, tlv_json_writer *data, double value,
									  int digits);

/* A list of n integers. */
extern tlv_status tlv_page_put_integers(tlv_context *ctx, tlv_json_writer *data, size_t n,
										const int64_t *values);

/* Every character above ASCII of a text in UTF-8: as "%C3%A9", or as "&#233;". */
extern tlv_status tlv_page_put_ascii(tlv_context *ctx, tlv_json_writer *to, tlv_text utf8,
									 bool percent);

/* Places of n scores that are not negative, the largest first, and equal ones as they come. Errors:
 * memory, TLV_CANCELLED. */
extern tlv_status tlv_page_order(tlv_context *ctx, size_t n, const double *scores, size_t *order);

/*
 * Points in the plane whose distances approximate those of n objects (classical scaling, Torgerson
 * 1952; negative eigenvalues count as 0): positions n x 2, and the proportion of the squared
 * distances that the plane shows.  Distances that are not finite make no map: false.  Errors:
 * memory, TLV_CANCELLED.
 */
extern tlv_status tlv_page_scale(tlv_context *ctx, size_t n, const double *distance,
								 double *positions, double *explained, bool *possible);

/*
 * Places of n nodes joined by edges, from an initial placement (n x 2): LinLog energy (Noack 2009)
 * by steepest descent, then nodes that overlap are moved apart; scaled to 0 .. 1000.  Quadratic in
 * n.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_page_place(tlv_context *ctx, size_t n, size_t edges, const int32_t *ends,
								 double *positions);

#endif /* TENSORLV_PAGE_H */
