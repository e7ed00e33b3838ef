-- separable.sql - factors of a non-negative matrix that are some of its rows

CREATE FUNCTION tlv_separable_nmf(m float8[], k integer DEFAULT NULL, method text DEFAULT 'anchors', eps float8 DEFAULT 0)
    RETURNS TABLE (matrix_row integer, component integer, weight float8, anchor boolean)
    AS 'MODULE_PATHNAME', 'tlv_separable_nmf_rows' LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 500;
COMMENT ON FUNCTION tlv_separable_nmf(float8[], integer, text, float8) IS
    'a non-negative matrix as non-negative weights times some of its own rows, one for each component, for which anchor is true; k null: as many as stand out by eps. Method anchors takes the '
    'farthest row again and again, loner the rows that no mixture of others comes near, almost the same for rows that are not quite pure';
