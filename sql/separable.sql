-- separable.sql - factors of a non-negative matrix that are some of its rows

CREATE FUNCTION tlv_separable_nmf(m float8[], k integer DEFAULT NULL, method text DEFAULT 'anchors', eps float8 DEFAULT 0)
    RETURNS TABLE (matrix_row integer, component integer, weight float8, anchor boolean)
    AS 'MODULE_PATHNAME', 'tlv_separable_nmf_rows' LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 500;
COMMENT ON FUNCTION tlv_separable_nmf(float8[], integer, text, float8) IS
    'factors a non-negative matrix into non-negative weights times some of its own rows, one for each component, for which anchor is true: k of them, or null: as many as stand out '
    'by eps, rows being scaled to sum 1; method anchors, the farthest one after the other, loner, those that no mixture of others comes near, or '
    'almost, the same of rows that are nearly but not quite pure';
