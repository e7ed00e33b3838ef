CREATE TABLE active_sets AS SELECT active FROM tlv_simulate_network(tlv_simulate_network_model(40, ARRAY[5], 8, .1), 300);
INSERT INTO queries VALUES ('SELECT active FROM active_sets');
INSERT INTO models SELECT tlv_network('SELECT active FROM active_sets') UNION ALL SELECT tlv_simulate_network_model(12, ARRAY[4, 2], 2, .3);
INSERT INTO moments SELECT tlv_cofire(active) FROM active_sets;
INSERT INTO moments SELECT tlv_cofire(active, (SELECT tlv_network('SELECT active FROM active_sets'))) FROM active_sets;
INSERT INTO moments SELECT tlv_statistics(active, (SELECT tlv_network('SELECT active FROM active_sets'))) FROM active_sets;
