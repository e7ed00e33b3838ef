CREATE TABLE signals AS SELECT x FROM tlv_simulate_ica(500, 3);
INSERT INTO queries VALUES ('SELECT x FROM signals');
INSERT INTO models SELECT tlv_ica('SELECT x FROM signals') UNION ALL SELECT tlv_simulate_ica_model(3, 2, .1);
INSERT INTO moments SELECT tlv_dense_moments(x, 4) FROM signals UNION ALL SELECT tlv_statistics(x, (SELECT tlv_ica('SELECT x FROM signals'))) FROM signals;
