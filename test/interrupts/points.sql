-- Points: reading and sorting them, counting neighbours, shuffles.
CREATE TABLE points AS SELECT i AS id, (hashint8(i) & 1048575) / 1048576.0::float8 AS x, (hashint8(-i) & 1048575) / 1048576.0::float8 AS y, (i % 100)::bigint AS mark
FROM generate_series(1::bigint, 1000000) AS i;
CREATE TABLE documents AS SELECT tlv_simulate_lda_model(5000, 20, seed => 2) AS model, (SELECT array_agg(bag) FROM tlv_simulate_lda(tlv_simulate_lda_model(5000, 20, seed => 2), 3000, 200)) AS bags;

-- phase: reading and sorting
SELECT tlv_point_features(x, y, mark, 0.001) OVER () FROM points LIMIT 1;

-- phase: many neighbours
SELECT tlv_point_features(x, y, id, 0.5) OVER () FROM points LIMIT 100;

-- phase: permutations
SELECT p_value FROM documents, tlv_permutation_test(model, bags, 10000);
