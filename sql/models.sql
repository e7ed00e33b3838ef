-- models.sql - what any model has: names of its components, numbers that last

CREATE FUNCTION tlv_label(model tlv_model, component integer, label text) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tlv_label(tlv_model, integer, text) IS
    'returns the model with a label for a component, which results show next to its number; tlv_update, tlv_align and tlv_compact keep labels, and a null label removes a '
    'label or, if components are answers, restores the answer';
CREATE FUNCTION tlv_align(model tlv_model, reference tlv_model, max_distance float8 DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_align(tlv_model, tlv_model, float8) IS
    'returns the model with the numbers and labels that the same components have in a reference (those that tlv_match pairs, at most max_distance apart). A component '
    'that the model no longer has keeps its number with weight 0, and a new one is appended';
CREATE FUNCTION tlv_compact(model tlv_model, tolerance float8 DEFAULT 0, drop integer[] DEFAULT NULL) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_compact(tlv_model, float8, integer[]) IS
    'returns the model without the components whose proportion of the weight is at most tolerance, and without those with the numbers in drop; the others are renumbered '
    'in the same order';
CREATE FUNCTION tlv_merge(model tlv_model, components integer[]) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_merge(tlv_model, integer[]) IS
    'returns the model with several components merged into one, which has the smallest of their numbers and its label: weights are added, and profiles, means and '
    'covariances are those of their mixture. The others are renumbered in the same order';

CREATE FUNCTION tlv_to_json(model tlv_model) RETURNS json
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_to_json(tlv_model) IS
    'returns the complete content of a model as JSON; numbers have the shortest form that is read as the same number, so tlv_from_json restores the model';
CREATE FUNCTION tlv_from_json(model json) RETURNS tlv_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_from_json(json) IS
    'returns the model that a JSON object describes, made by tlv_to_json or another program; an object that is not a valid model raises an error';

CREATE FUNCTION tlv_svg(model tlv_model, examples json DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_svg(tlv_model, json) IS
    'returns a picture of any model as a self-contained SVG document on one line: words of topics and how topics merge, connectivity of communities, ellipses of '
    'components in the two dimensions that distinguish them best, states and their transitions, mixing of sources, a tree; examples are rows to draw among the components '
    'of vectors, as in tlv_html';

CREATE FUNCTION tlv_html(model tlv_model, title text DEFAULT NULL, examples json DEFAULT NULL, graph tlv_graph DEFAULT NULL, before tlv_model DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tlv_html(tlv_model, text, json, tlv_graph, tlv_model) IS
    'returns a page about any model to explore in a browser, self-contained and on one line of ASCII; examples are rows of the components as an array of objects, graph '
    'is drawn with the memberships of its nodes, and before is an earlier model that is compared with this one';

CREATE FUNCTION tlv_groups(model tlv_model, n integer)
    RETURNS TABLE (component integer, component_group integer)
    AS 'MODULE_PATHNAME', 'tlv_groups_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION tlv_groups(tlv_model, integer) IS
    'merges components by similarity (average linkage) until n groups remain: by the distance of tlv_match, or for communities by the connectivity of their nodes. Groups '
    'are numbered in the order of their first components';
CREATE FUNCTION tlv_kinds()
    RETURNS TABLE (kind text, type text, collects text[], fits text[], drives text[], reads text[], applies text[])
    AS 'MODULE_PATHNAME', 'tlv_kinds_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 40;
COMMENT ON FUNCTION tlv_kinds() IS
    'returns every kind of value, its type, and the functions that collect it, fit it, fit it from a query, read it and apply it';
CREATE FUNCTION tlv_drift(model tlv_model, statistics tlv_moments, reference tlv_moments[] DEFAULT NULL)
    RETURNS TABLE (test text, component integer, statistic float8, p_value float8)
    AS 'MODULE_PATHNAME', 'tlv_drift_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION tlv_drift(tlv_model, tlv_moments, tlv_moments[]) IS
    'tests whether new rows follow the model. tlv_statistics of the rows are compared with the model itself: weights, means or categories of components, words of topics, '
    'transitions and emissions of states. tlv_error_statistics are compared with a reference, the same statistics of normal rows as an array with one value: the score '
    'test of all parameters (scores) and of those of every component (score), or for documents the proportions of topics, the likelihood, and words that no topic '
    'explains. If the reference has seven values or more, each is a period: if periods differ by more than the variation between rows explains, the test includes the '
    'variation between periods (mixtures, hidden Markov models, latent classes, multi-view models)';

CREATE FUNCTION tlv_suggest_k(model tlv_model)
    RETURNS TABLE (k integer, criterion text, score float8, standard_error float8, chosen boolean)
    AS 'MODULE_PATHNAME', 'tlv_suggest_k_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION tlv_suggest_k(tlv_model) IS
    'returns the scores by which the number of components of a model that was fitted without k was chosen: a row for every k that was tried and every criterion. chosen '
    'marks the number of the model for the first criterion, and for any other the number that this criterion would have chosen';

CREATE FUNCTION tlv_gather(aggregate text, VARIADIC x "any") RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION tlv_gather(text, "any") IS
    'filter of an aggregate without GROUP BY, for servers that spend more on its call than on its row, as Citus does: true for the first row, which begins the '
    'state; later rows it adds to the state itself';
