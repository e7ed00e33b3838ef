-- The teams of the season as a page to explore in a browser, written to the
-- file :page.  To be run by psql -X -At -v page=football.html from the root of
-- the repository, in a database with the extension; leaves nothing else behind.
\set QUIET on
SET client_min_messages = warning;

CREATE TEMP TABLE games (team_a bigint, team_b bigint);
CREATE TEMP TABLE teams (team bigint, name text, conference text, listed text);
\copy games FROM PROGRAM 'gzip -dc examples/football/games.csv.gz' WITH (FORMAT csv, HEADER)
\copy teams FROM PROGRAM 'gzip -dc examples/football/teams.csv.gz' WITH (FORMAT csv, HEADER)

CREATE TEMP TABLE season AS
SELECT a.name AS team_a, b.name AS team_b
FROM games g JOIN teams a ON a.team = g.team_a JOIN teams b ON b.team = g.team_b;

\pset format unaligned
\pset tuples_only on
\o :page
SELECT tlv_html(tlv_mmsb('SELECT team_a, team_b FROM season', k => 11, alpha0 => 0.5), 'American college football, 2000',
                graph => (SELECT tlv_graph_agg(team_a, team_b) FROM season));
\o
