"""What half and twice of each number of a tuning.h do: scripts/bench builds with TLV_TUNING, so that a number is read from the
environment of the server, which is started again for each.  A line of a room fits models to data simulated with a known truth, in at
most 20 CPU seconds; of each fit there are its quality and the digest of the model.
--room=mmsb,..: of these rooms; --seed=N: of the data, printed, another one in every run; --numbers=REGEX: only those that match;
--factors=0,1e9: other than half and twice, as these switch a rule off."""
import os, re, subprocess, sys, time
from common import Session, stat, table
from common_graphs import option

SEED = option('seed', int(time.time()) % 100000)
NUMBERS = option('numbers', '')
FACTORS = [float(f) for f in option('factors', '.5,2').split(',')]

# -- the lines of the rooms: tables, and fits as (name, model, quality of model m); {s} is the seed ------------------

PARTITION = ('SELECT tlv_nmi(coalesce(f.community, 0), t.community) FROM (SELECT DISTINCT ON (node, side) node, side, community FROM tlv_memberships(m) '
             'ORDER BY node, side, membership DESC) f JOIN (SELECT DISTINCT ON (node, side) node, side, community FROM {truth}, tlv_memberships(truth) '
             "ORDER BY node, side, membership DESC) t ON t.node = f.node AND coalesce(t.side, '') = coalesce(f.side, '')")
MIXED = ('SELECT tlv_nmi(coalesce(f.community, 0), t.community) FROM (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(m) '
         'ORDER BY node, membership DESC) f JOIN (SELECT DISTINCT ON (node) node, community FROM {truth}, tlv_memberships(truth) '
         'ORDER BY node, membership DESC) t USING (node)')


def graphs(tables):
    """tables of edges, and of the models that they are of"""
    return [f"CREATE TABLE {name} AS SELECT tlv_simulate_mmsb_model({model}, seed => {{s}}) truth" for name, model in tables.items()] + [
        f'CREATE TABLE {name}_edges AS SELECT s.* FROM {name}, tlv_simulate_mmsb(truth, {{s}}) s' for name in tables]


def graph_fit(name, options='', quality=PARTITION, edges=None):
    return name + options, f"tlv_mmsb('{edges or f'SELECT src, dst FROM {name}_edges'}'{options})", quality.format(truth=name)


LINES = {
    'mmsb': (graphs({
        'weak': '400, 3, within => .08, across => .035', 'weaker': '600, 4, within => .07, across => .035', 'clear': '2000, 8, within => .05, across => .004',
        'many': '3000, 60, within => .3, across => .004', 'large': '6000, 12, within => .04, across => .004', 'off': '500, 3, within => .02, across => .06',
        'degrees': '1500, 5, within => .05, across => .005, degree_exponent => 3', 'arcs': "600, 4, within => .08, across => .02, kind => 'directed'",
        'sides': "500, 3, within => .1, across => .03, kind => 'bipartite', targets => 300", 'mixed': '600, 3, alpha0 => .3, within => .2, across => .02',
        'mixed8': '1000, 8, alpha0 => .5, within => .2, across => .02', 'none': '500, 2, within => .03, across => .03',
        'counts': '400, 3, within => .5, across => .1, poisson => true'}) + [
        'CREATE TABLE tree_edges AS SELECT i AS src, (hashint4(i + {s}) & 65535) % i AS dst FROM generate_series(1, 400) i',
        'CREATE TABLE weighted_edges AS SELECT src, dst, exp((src % 3 = dst % 3)::int + (hashint8(src * 1000 + dst + {s}) & 1023) / 512.) AS weight FROM none_edges'], [
        graph_fit('weak'), graph_fit('weak', ', k => 4'), graph_fit('weaker'), graph_fit('weaker', ', k => 4'), graph_fit('clear'), graph_fit('clear', ', k => 8'),
        graph_fit('clear', ', k => 30'), graph_fit('many'), graph_fit('large'), graph_fit('off'), graph_fit('degrees'), graph_fit('degrees', ', k => 5'),
        graph_fit('arcs', ', directed => true'), graph_fit('arcs', ', directed => true, k => 4'), graph_fit('sides', ', bipartite => true'),
        graph_fit('mixed', ', k => 3, alpha0 => .3', MIXED), graph_fit('mixed8', ', k => 8, alpha0 => .5', MIXED), graph_fit('mixed8', ', alpha0 => .5', MIXED),
        graph_fit('none'), graph_fit('weak', ', k => 3, errors => true'), graph_fit('counts', edges='SELECT src, dst, weight FROM counts_edges'),
        ('tree', "tlv_mmsb('SELECT src, dst FROM tree_edges')", 'SELECT count(*) FROM tlv_communities(m)'),
        ('weights', "tlv_mmsb('SELECT src, dst, weight FROM weighted_edges')",
         'SELECT tlv_nmi(community, node % 3) FROM (SELECT DISTINCT ON (node) node, community FROM tlv_memberships(m) ORDER BY node, membership DESC) f')]),
    'membership': ([f'CREATE TABLE {name} AS SELECT tlv_simulate_{kind}_model({model}, seed => {{s}}) truth' for name, kind, model in (
        ('classes', 'lca', '12, 3'), ('near', 'lca', '8, 4, concentration => 2'), ('noise', 'lca', '10, 1'), ('members', 'gom', '15, 3'), ('pure', 'gom', '20, 3, alpha => .02'))] + [
        f'CREATE TABLE {name}_rows AS SELECT s.* FROM {name}, tlv_simulate_{kind}(truth, {rows}, {{s}}) s' for name, kind, rows in (
            ('classes', 'lca', 1000), ('near', 'lca', 1000), ('noise', 'lca', 600), ('members', 'gom', 600), ('pure', 'gom', 600))], [
        (name + options, f"{call}('SELECT v FROM {name}_rows'{options})", f'SELECT -avg(distance) FROM {name}, tlv_match(truth, m)') for name, call, options in (
            ('classes', 'tlv_lca', ''), ('classes', 'tlv_lca', ', k => 3'), ('near', 'tlv_lca', ''), ('near', 'tlv_lca', ", criterion => 'bic'"), ('noise', 'tlv_lca', ''),
            ('members', 'tlv_gom', ', k => 3'), ('members', 'tlv_gom', ''), ('pure', 'tlv_gom', ', k => 3'))]),
}

# -- the numbers ------------------------------------------------------------------


def numbers(room):
    """(name, value as it is written) of a room's tuning.h"""
    for path in [f'src/model/{room}/tuning.h', 'include/tensorlv/num/tuning.h']:
        for name, value in re.findall(r'^#define \w+\s+TLV_TUNED\((\w+),\s*\(?(-?[\w.+-]+?)F?\)', open(path).read(), re.M):
            if re.search(NUMBERS, name):
                yield name, value


def changed(value, factor):
    """half or twice a number; an integer stays one"""
    if re.fullmatch(r'-?\d+', value):
        other = min(int(int(value) * factor), 2**31 - 1)
        return str(other if other != int(value) else int(value) + (1 if factor > 1 else -1))
    return repr(float(value) * factor)


# -- the server ------------------------------------------------------------------

def restart(environment):
    """starts the server again, with more variables in its environment"""
    data = subprocess.run(['psql', '-XqAtc', 'SHOW data_directory'], capture_output=True, text=True, check=True).stdout.strip()
    binary = subprocess.run(['pg_config', '--bindir'], capture_output=True, text=True, check=True).stdout.strip()
    command = ['env', *(f'{name}={value}' for name, value in environment.items()), f'{binary}/pg_ctl', '-D', data, '-w', '-s', '-m', 'fast', 'restart',
               '-l', os.path.join(data, 'restarted.log')]
    if os.getuid() == 0:
        command = ['runuser', '-u', 'postgres', '--'] + command
    subprocess.run(command, check=True, cwd='/', stdout=subprocess.DEVNULL)


def fit_all(fits):
    """(qualities, digests, CPU seconds) of the fits, None where one fails"""
    qualities, digests, s = [], [], Session()
    s.set(client_min_messages='error')
    before = stat(s.pid)[0]
    for name, model, quality in fits:
        sql = (f"SELECT ({quality}), md5(concat(m::text, (SELECT string_agg(w::text, ' ') FROM tlv_warnings(m) w))) FROM (SELECT {model} m OFFSET 0) q")
        s.psql.stdin.write('\\set ON_ERROR_STOP 0\n')
        rows = s.query(sql)
        qualities.append(float(rows[0][0]) if rows and rows[0][0] else None)
        digests.append(rows[0][1] if rows else 'failed')
    cost = stat(s.pid)[0] - before
    s.close()
    return qualities, digests, cost


def effect(base, other):
    """(fits that change, largest loss and mean change of the quality, ratio of CPU seconds)"""
    differing = sum(a != b for a, b in zip(base[1], other[1]))
    gains = [b - a for a, b in zip(base[0], other[0]) if a is not None and b is not None]
    failed = sum(d == 'failed' for d in other[1]) - sum(d == 'failed' for d in base[1])
    return differing, min(gains), sum(gains) / len(gains), other[2] / max(base[2], .01), failed


def show(e):
    return [e[0] + 0, f'{e[1]:+.3f}', f'{e[2]:+.4f}', f'{e[3]:.2f}' + (f' {e[4]} fail' if e[4] else '')] if e[0] else ['', '', '', f'{e[3]:.2f}']


def measure(room):
    tables, fits = LINES[room]
    s = Session()
    for statement in tables:
        s.query(statement.replace('{s}', str(SEED)))
    s.close()
    restart({})
    base = fit_all(fits)
    print(f'{room}: {len(fits)} fits, {base[2]:.1f} CPU s')
    print('   '.join(f'{name} {q if q is None else round(q, 3)}' for (name, _, _), q in zip(fits, base[0])), flush=True)
    rows = []
    for name, value in numbers(room):
        effects = []
        for factor in FACTORS:
            restart({name: changed(value, factor)})
            effects.append(effect(base, fit_all(fits)))
        rows.append([name, value] + show(effects[0]) + show(effects[1]) + ['' if effects[0][0] or effects[1][0] else 'nothing changes'])
        print('\t'.join(str(x) for x in rows[-1]), flush=True)
    restart({})
    head = [cell for f in FACTORS for cell in (f'x {f:g}', 'loss', 'mean', 'CPU')]
    table(f'{room}, seed {SEED}: fits that change, largest loss, mean change, CPU ratio', ['number', 'value', *head, ''], rows)


for wanted in option('room', ','.join(LINES)).split(','):
    measure(wanted)
