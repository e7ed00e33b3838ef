CREATE TABLE coded AS SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(4, 6, 2), 300, .1);
INSERT INTO queries VALUES ('SELECT x FROM coded');
INSERT INTO models SELECT tlv_dictionary('SELECT x FROM coded', 5, 2) UNION ALL SELECT tlv_simulate_dictionary_model(3, 4, 1);
INSERT INTO moments SELECT tlv_statistics(x, (SELECT tlv_dictionary('SELECT x FROM coded', 5, 2))) FROM coded;
