-- Points: reading and sorting them, counting neighbours.
CREATE TABLE points AS SELECT i AS id, (hashint8(i) & 1048575) / 1048576.0::float8 AS x, (hashint8(-i) & 1048575) / 1048576.0::float8 AS y, (i % 100)::bigint AS mark
FROM generate_series(1::bigint, 1000000) AS i;

-- phase: reading and sorting
SELECT tlv_point_features(x, y, mark, 0.001) OVER () FROM points LIMIT 1;

-- phase: many neighbours
SELECT tlv_point_features(x, y, id, 0.5) OVER () FROM points LIMIT 100;
