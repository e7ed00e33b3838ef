/*
 * picture.c - shapes and texts of a picture (picture.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Colours of components, again from the first when there are more. */
#define COLOURS 8
/* Empty space around everything. */
#define PICTURE_MARGIN 16.0
/* Characters of a label that are drawn, of what stands for those that are not, of the number behind
 * it then, and of a weight. */
#define LABEL_MOST	 24
#define DOTS		 3
#define LABEL_NUMBER 5
#define LABEL_WEIGHT 7
#define PICTURE_FONT 12.0
#define LETTER		 0.55 /* of the height of the font */
#define BOLD_LETTER	 0.6

/* The colour-blind distinguish them, too: six of Okabe and Ito's (2008), and two dark ones. */
static const char *const colours[COLOURS] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
											 "#56b4e9", "#d55e00", "#3b2a6b", "#7a0019"};

/* With two decimals, without zeros at the end, and a point in every locale. */
static void
print_number(double x, char *to)
{
	int64_t hundredths = (int64_t) floor(fmin(fabs(x), 1e12) * 100 + 0.5);
	int n = snprintf(to, 32, "%s%lld", x < 0 && hundredths > 0 ? "-" : "",
					 (long long) (hundredths / 100));

	if (hundredths % 100 != 0)
		n += snprintf(to + n, (size_t) (32 - n), ".%02d", (int) (hundredths % 100));
	if (hundredths % 100 != 0 && to[n - 1] == '0')
		to[n - 1] = '\0';
}

/* A limit of bytes that no picture comes near to. */
static tlv_json_writer *
body_of(tlv_picture *picture)
{
	picture->body.most = (size_t) 1 << 28;
	return &picture->body;
}

tlv_status
tlv_picture_add(tlv_context *ctx, tlv_picture *picture, const char *shape, const double *numbers,
				size_t component)
{
	char number[32];

	while (*shape != '\0')
	{
		size_t n = strcspn(shape, "%$");

		TLV_TRY(tlv_json_append(ctx, body_of(picture), shape, n));
		shape += n;
		if (*shape == '$')
			TLV_TRY(tlv_json_put(ctx, body_of(picture), colours[component % COLOURS]));
		else if (*shape == '%')
		{
			/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): one number for every % */
			print_number(*numbers++, number);
			TLV_TRY(tlv_json_put(ctx, body_of(picture), number));
		}
		shape += *shape != '\0';
	}
	return TLV_OK;
}

/* One byte as XML has it; control characters are spaces.  A backslash is a reference, since COPY
 * would double it. */
static tlv_status
put_byte(tlv_context *ctx, tlv_picture *picture, char c)
{
	char plain[2] = {(unsigned char) c < 0x20 || c == 0x7f ? ' ' : c, '\0'};
	const char *text = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : plain;

	if (c == '\\')
		text = "&#92;";
	return tlv_json_put(ctx, body_of(picture), c == '"' ? "&quot;" : text);
}

static bool
begins_character(char c)
{
	return ((unsigned char) c & 0xc0) != 0x80;
}

/* U+FFFE and U+FFFF, which no XML may have; three bytes. */
static bool
is_no_character(tlv_text text, size_t at)
{
	const unsigned char *bytes = (const unsigned char *) text.bytes + at;

	return text.length - at >= 3 && bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] >= 0xbe;
}

/* Characters of a text, where it is known where they begin. */
static size_t
count_characters(const tlv_picture *picture, tlv_text text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.length && picture->utf8; i++)
		n += begins_character(text.bytes[i]);
	return n;
}

static bool
is_cut(const tlv_picture *picture, tlv_text text, size_t most)
{
	size_t all = count_characters(picture, text);

	return all > most && all - most > DOTS;
}

/* The text, or its two ends with three dots between: names often differ at the end. */
static tlv_status
put_text(tlv_context *ctx, tlv_picture *picture, tlv_text text, size_t most)
{
	size_t all = count_characters(picture, text), tail = most / 3, head = most - tail, n = 0;
	bool cut = is_cut(picture, text, most);

	for (size_t i = 0; i < text.length; i++)
	{
		n += begins_character(text.bytes[i]);
		if (cut && n > head && n <= all - tail)
		{
			if (n == head + 1 && begins_character(text.bytes[i]))
				TLV_TRY(tlv_json_put(ctx, body_of(picture), "..."));
			continue;
		}
		if (picture->utf8 && is_no_character(text, i))
		{
			TLV_TRY(put_byte(ctx, picture, ' '));
			i += 2;
			continue;
		}
		TLV_TRY(put_byte(ctx, picture, text.bytes[i]));
	}
	return TLV_OK;
}

double
picture_name_width(const tlv_picture_component *component, double font)
{
	size_t n = 0;

	for (size_t i = 0; i < component->label.length; i++)
		n += begins_character(component->label.bytes[i]);
	if (component->label.bytes == NULL)
		n = (size_t) snprintf(NULL, 0, "%.20s %zu", component->what, component->number);
	else if (n > LABEL_MOST + DOTS)
		n = LABEL_MOST + DOTS + LABEL_NUMBER;
	return BOLD_LETTER * font * (double) (n + (isnan(component->weight) ? 0 : LABEL_WEIGHT));
}

/* The picture reaches as far as a text at x, which may be long. */
static void
reach_text(tlv_picture *picture, double x, const char *style, double wide)
{
	double before = strstr(style, "\"end\"") != NULL	  ? wide
					: strstr(style, "\"middle\"") != NULL ? wide / 2
														  : 0;

	if (strstr(style, "rotate") != NULL)
		return;
	picture->left = fmax(picture->left, before - x);
	picture->width = fmax(picture->width, x - before + wide);
}

tlv_status
tlv_picture_title(tlv_context *ctx, tlv_picture *picture, tlv_text text)
{
	if (text.bytes == NULL)
		return TLV_OK;
	TLV_TRY(tlv_json_put(ctx, body_of(picture), "<title>"));
	TLV_TRY(put_text(ctx, picture, text, SIZE_MAX));
	return tlv_json_put(ctx, body_of(picture), "</title>");
}

tlv_status
tlv_picture_text(tlv_context *ctx, tlv_picture *picture, double x, double y, const char *style,
				 tlv_text text, size_t most)
{
	size_t all = count_characters(picture, text);

	reach_text(picture, x, style,
			   LETTER * PICTURE_FONT * (double) (is_cut(picture, text, most) ? most + DOTS : all));
	TLV_TRY(tlv_picture_add(ctx, picture, "<text x=\"%\" y=\"%\" ", (double[]){x, y}, 0));
	TLV_TRY(tlv_json_put(ctx, body_of(picture), style));
	TLV_TRY(tlv_json_put(ctx, body_of(picture), ">"));
	TLV_TRY(tlv_picture_title(ctx, picture, text));
	TLV_TRY(put_text(ctx, picture, text, most));
	return tlv_json_put(ctx, body_of(picture), "</text>");
}

tlv_status
tlv_picture_name(tlv_context *ctx, tlv_picture *picture, double x, double y, const char *style,
				 const tlv_picture_component *component)
{
	const char *given = strstr(style, "font-size=\"");
	double font = given != NULL ? (double) strtol(strchr(given, '"') + 1, NULL, 10) : PICTURE_FONT;
	char number[64];
	bool cut = is_cut(picture, component->label, LABEL_MOST);

	reach_text(picture, x, style, picture_name_width(component, font));
	TLV_TRY(tlv_picture_add(ctx, picture,
							"<text x=\"%\" y=\"%\" font-weight=\"bold\" data-c=\"%\" ",
							(double[]){x, y, (double) component->number}, 0));
	TLV_TRY(tlv_json_put(ctx, body_of(picture), style));
	TLV_TRY(tlv_json_put(ctx, body_of(picture), ">"));
	if (component->label.bytes != NULL)
	{
		TLV_TRY(tlv_picture_title(ctx, picture, component->label));
		TLV_TRY(put_text(ctx, picture, component->label, LABEL_MOST));
	}
	/* Labels that differ only where they are cut have their numbers. */
	if (cut)
		TLV_TRY(tlv_picture_add(ctx, picture, " (%)", (double[]){(double) component->number}, 0));
	if (component->label.bytes == NULL)
	{
		snprintf(number, sizeof(number), "%.20s %zu", component->what, component->number);
		TLV_TRY(tlv_json_put(ctx, body_of(picture), number));
	}
	if (!isnan(component->weight))
		TLV_TRY(tlv_picture_add(ctx, picture, "<tspan font-weight=\"normal\" fill=\"#777\"> %",
								(double[]){floor(1000 * component->weight + 0.5) / 10}, 0));
	return tlv_json_put(ctx, body_of(picture),
						isnan(component->weight) ? "</text>" : " %</tspan></text>");
}

void
tlv_picture_reach(tlv_picture *picture, double x, double y)
{
	picture->width = fmax(picture->width, x);
	picture->height = fmax(picture->height, y);
}

tlv_status
tlv_picture_finish(tlv_context *ctx, tlv_picture *picture)
{
	double width = ceil(picture->left + picture->width + 2 * PICTURE_MARGIN),
		   height = ceil(picture->height + 2 * PICTURE_MARGIN);
	tlv_json_writer body = picture->body;

	picture->body = (tlv_json_writer){.number = NULL};
	TLV_TRY(tlv_picture_add(ctx, picture,
							"<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" "
							"viewBox=\"0 0 % %\" width=\"%\" "
							"height=\"%\" font-family=\"sans-serif\" font-size=\"12\">"
							"<rect width=\"%\" height=\"%\" fill=\"#fff\"/>",
							(double[]){width, height, width, height, width, height}, 0));
	TLV_TRY(tlv_picture_add(ctx, picture, "<g transform=\"translate(% %)\" fill=\"#222\">",
							(double[]){PICTURE_MARGIN + ceil(picture->left), PICTURE_MARGIN}, 0));
	picture->text = picture->body;
	picture->text.most = (size_t) 1 << 29;
	picture->body = body;
	TLV_TRY(tlv_json_append(ctx, &picture->text, body.bytes, body.n));
	tlv_free(ctx, body.bytes);
	picture->body = (tlv_json_writer){.number = NULL};
	return tlv_json_put(ctx, &picture->text, "</g></svg>");
}
