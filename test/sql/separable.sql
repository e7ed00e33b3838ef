-- A matrix as mixtures of some of its own rows.
\set ECHO none
\set VERBOSITY terse
\set ECHO queries
SELECT * FROM tlv_separable_nmf('{{2,0,0},{0,0,4},{1,0,1},{0,3,3},{0,5,0},{0,0,0}}') ORDER BY 1, weight DESC;
-- rows come back from their weights, by either method, with k given or found
CREATE TABLE drawn AS SELECT i, array_agg(CASE WHEN i <= 4 THEN (i = j)::int ELSE (i * 7 + j * j * 3) % 11 END::float8 ORDER BY j) AS w
  FROM generate_series(1, 40) i, generate_series(1, 4) j GROUP BY i;
CREATE TABLE made AS SELECT array_agg(ARRAY[w[1] + w[2], 3 * w[1], w[3], 2 * w[2] + w[4], w[3] + 5 * w[4], w[2]] ORDER BY i) AS m FROM drawn;
SELECT method, k, (SELECT count(*) FROM tlv_separable_nmf(m, k, method) WHERE anchor) AS anchors,
  (SELECT max(abs(m[matrix_row][c] - entry)) < 1e-9 FROM (SELECT f.matrix_row, c, sum(f.weight * m[a.matrix_row][c]) AS entry
     FROM tlv_separable_nmf(m, k, method) f JOIN tlv_separable_nmf(m, k, method) a ON a.anchor AND a.component = f.component, generate_series(1, 6) c GROUP BY 1, 2) e) AS exact
FROM made, unnest('{anchors,loner,almost}'::text[]) method, unnest('{NULL,4}'::int[]) k ORDER BY method, k;
SELECT count(*) FROM made, tlv_separable_nmf(m, 2) WHERE anchor;
-- rows that are nearly pure: 1 and 3 are of one component, 2 and 5, 7 and 8
SELECT method, eps, array_agg(matrix_row ORDER BY matrix_row) AS anchors
FROM unnest('{loner,almost}'::text[]) method, unnest('{0.001,0.03}'::float8[]) eps,
  tlv_separable_nmf('{{96,2,2},{2,96,2},{95,2,3},{50,48,2},{3,95,2},{20,20,60},{2,2,96},{3,2,95},{30,40,30}}', method => method, eps => eps)
WHERE anchor GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM tlv_separable_nmf((SELECT array_agg(ARRAY[i, 1]) FROM generate_series(1, 201) i), method => 'almost');
SELECT * FROM tlv_separable_nmf(NULL);
SELECT * FROM tlv_separable_nmf('{{7}}');
SELECT * FROM tlv_separable_nmf('{1,2}');
SELECT * FROM tlv_separable_nmf('{{1,NULL}}');
SELECT * FROM tlv_separable_nmf('{{1,-1}}');
SELECT * FROM tlv_separable_nmf('{{1,NaN}}');
SELECT * FROM tlv_separable_nmf('{{0,0}}');
SELECT * FROM tlv_separable_nmf('{{1,2},{2,4}}', 2);
SELECT * FROM tlv_separable_nmf('{{1,2},{2,4}}', 3);
SELECT * FROM tlv_separable_nmf('{{1,2},{2,4}}', 0);
SELECT * FROM tlv_separable_nmf('{{1,2},{2,4}}', eps => 2);
SELECT * FROM tlv_separable_nmf('{{1,2},{2,4}}', eps => NULL);
SELECT * FROM tlv_separable_nmf('{{1,2},{2,4}}', method => 'spa');
SELECT count(*) FROM tlv_separable_nmf('{{1e308,1e308}}');
DROP TABLE drawn, made;
