/*
 * model_json.h - any model as JSON, for programs, and from it, for models made elsewhere.
 *
 * An object: "tensorlv" (1, the version of the schema), "kind"; every section of the model under
 * its name in the layout (layout.h), in that form; and, where there are any, "diagnostics" (a
 * list of [name, value]), "warnings" (a list of objects code, component, score, message, hint),
 * "dimension_names" and "labels" (of the components, null where there is none).  A section may lack
 * where the layout says so; "floor", "stationary", "weights", "shares" and the like, which follow
 * from others, too.  Sections are in the order of the keys: a model comes back bit by bit.
 *
 * The syntax of JSON is on floor 1 (json.h); which sections a kind has is in layout.h.
 */
#ifndef TENSORLV_MODEL_JSON_H
#define TENSORLV_MODEL_JSON_H

#include "tensorlv/model/layout.h"
#include "tensorlv/num/json.h"

/* Writes a model behind what the writer has.  Errors: those of the writer. */
extern tlv_status tlv_model_put_json(tlv_context *ctx, const tlv_frame *model,
									 tlv_json_writer *writer);

/*
 * The model that a text (tlv_json_read) says: what its kind accepts, checked as any input.  Errors:
 * TLV_BAD_PARAMETER with the path of what is wrong, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_model_from_json(tlv_context *ctx, const char *text, size_t length, bool ascii,
									  void **image, size_t *size);

/* ---- for layouts: what follows from what was given ---- */

/* A section as it was read. */
typedef struct tlv_given
{
	const tlv_field *field;
	bool given;
	tlv_element element;
	size_t rows, columns;
	double *numbers; /* of all elements but int64 and bytes */
	void *data;		 /* as it will be stored */
	/* of texts and memberships, the sections beside it */
	size_t beside_rows, behind_rows;
	void *beside, *behind;
} tlv_given;

/* The numbers of a section of that name, as many as rows x columns; NULL where it was not given. */
extern tlv_given *tlv_given_find(tlv_given *given, const char *name);

/* Fills in rows x columns numbers of a section that was not given.  Errors: memory. */
extern tlv_status tlv_given_fill(tlv_context *ctx, tlv_given *given, const char *name, size_t rows,
								 double **numbers);

#endif /* TENSORLV_MODEL_JSON_H */
