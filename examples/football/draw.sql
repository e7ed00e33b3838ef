-- The season's games, the memberships of every team and its conference, as one
-- JSON value for draw.py.  To be run by psql -X -At from the root of the
-- repository, in a database with the extension; leaves nothing behind.
\set QUIET on
SET client_min_messages = warning;

CREATE TEMP TABLE games (team_a bigint, team_b bigint);
CREATE TEMP TABLE teams (team bigint, name text, conference text, listed text);
\copy games FROM PROGRAM 'gzip -dc examples/football/games.csv.gz' WITH (FORMAT csv, HEADER)
\copy teams FROM PROGRAM 'gzip -dc examples/football/teams.csv.gz' WITH (FORMAT csv, HEADER)

CREATE TEMP TABLE season AS
SELECT tlv_mmsb('SELECT team_a, team_b FROM games', k => 11, alpha0 => 0.5) AS model;

SELECT json_build_object(
    'nodes', (SELECT json_agg(json_build_object(
                         'id', team, 'name', name, 'group', nullif(conference, 'independent'),
                         'shares', (SELECT array_agg(round(share::numeric, 2) ORDER BY community)
                                    FROM unnest(memberships) WITH ORDINALITY AS s(share, community)))
                     ORDER BY team)
              FROM season, LATERAL (SELECT node, array_agg(membership ORDER BY community) AS memberships FROM tlv_memberships(model, 0) GROUP BY node) v
              JOIN teams ON team = node),
    'edges', (SELECT json_agg(json_build_array(team_a, team_b) ORDER BY team_a, team_b)
              FROM games));
