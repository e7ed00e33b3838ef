CREATE TABLE readings AS SELECT series, t, reading FROM tlv_simulate_convolution(tlv_simulate_convolution_model(k => 1, length => 8, rate => .1), 3, 300);
INSERT INTO queries VALUES ('SELECT series, t, reading FROM readings');
INSERT INTO models SELECT tlv_convolution('SELECT series, t, reading FROM readings', 1, 8) UNION ALL SELECT tlv_simulate_convolution_model(k => 2, length => 8);
INSERT INTO moments SELECT tlv_series_moments(x, 8) FROM (SELECT array_agg(reading ORDER BY t) AS x FROM readings GROUP BY series) q UNION ALL
  SELECT tlv_series_moments(x, 8, 'windows') FROM (SELECT array_agg(reading ORDER BY t) AS x FROM readings GROUP BY series) q;
