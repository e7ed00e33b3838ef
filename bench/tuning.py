"""What half and twice of each number of a tuning.h do: scripts/bench builds with TLV_TUNING, so that a number is read from the
environment of the server, which is started again for each.  A line of a room fits models to data simulated with a known truth, in at
most 20 CPU seconds; of each fit there are its quality and the digest of the model.
--room=mmsb,..: of these rooms; --seed=N: of the data, printed, another one in every run; --numbers=REGEX: only those that match;
--factors=0,1e9: other than half and twice, as these switch a rule off."""
import glob, os, re, subprocess, sys, time
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
    'hmm': ([f'CREATE TABLE {name} AS SELECT tlv_simulate_hmm_model({model}, seed => {{s}}) truth' for name, model in (
        ('symbols', '8, k => 3, stay => .8'), ('alike', '6, k => 3, stay => .5, concentration => 1'), ('vectors', 'dimensions => 2, k => 3, separation => 3'))] + [
        f'CREATE TABLE {name}_steps AS SELECT s.seq, s.t, s.{value} AS value FROM {name}, tlv_simulate_hmm(truth, {size}, {{s}}) s' for name, value, size in (
            ('symbols', 'symbol', '40, 100'), ('alike', 'symbol', '20, 60'), ('vectors', 'x', '30, 60'))] + [
        'CREATE TABLE lists AS SELECT array_agg(value::int - 1 ORDER BY t) AS list FROM symbols_steps GROUP BY seq'], [
        (name + options, f"tlv_hmm('SELECT seq, t, value FROM {name}_steps'{options})", f'SELECT -avg(distance) FROM {name}, tlv_match(truth, m)') for name, options in (
            ('symbols', ''), ('symbols', ', k => 3, errors => true'), ('alike', ', k => 3'), ('alike', ''), ('alike', ', k => 8, iterations => 60'), ('vectors', ', k => 3'),
            ('vectors', ", k => 3, covariance => 'full', errors => true"), ('vectors', ''), ('vectors', ", k => 3, refine => 'none'"), ('symbols', ', k => 3, left_right => true'))] + [
        ('counts' + options, f'tlv_fit_hmm((SELECT tlv_sequence_moments(list) FROM lists){options})', 'SELECT -avg(distance) FROM symbols, tlv_match(truth, m)')
        for options in ('', ', k => 3')]),
    'lda': ([f'CREATE TABLE {name} AS SELECT tlv_simulate_lda_model({model}, seed => {{s}}) truth' for name, model in (
        ('topics', '200, 4'), ('short', '100, 3'), ('alike', '80, 4, concentration => .5'))] + [
        f'CREATE TABLE {name}_bags AS SELECT s.* FROM {name}, tlv_simulate_lda(truth, {size}, {{s}}) s' for name, size in (
            ('topics', '500, 40'), ('short', '600, 3'), ('alike', '400, 60'))] + [
        'CREATE TABLE bursts_bags AS SELECT doc, item, sum(weight * (1 + 3 * (hashint8(doc * 1000 + item + {s}) % 3 = 0)::int))::bigint AS count '
        'FROM topics_bags, tlv_bag_items(bag) GROUP BY 1, 2'], [
        (name + options, f"tlv_lda('SELECT {columns} FROM {name}_bags'{options})", f'SELECT -avg(distance) FROM {truth}, tlv_match(truth, m)') for name, columns, truth, options in (
            ('topics', 'bag', 'topics', ''), ('topics', 'bag', 'topics', ', k => 4, errors => true'), ('topics', 'bag', 'topics', ", k => 4, method => 'tensor'"),
            ('topics', 'bag', 'topics', ", k => 4, refine => 'none'"), ('topics', 'bag', 'topics', ", k => 4, refine => 'gibbs'"), ('topics', 'bag', 'topics', ", k => 4, refine => 'ctm'"),
            ('short', 'bag', 'short', ''), ('short', 'bag', 'short', ', k => 3'), ('alike', 'bag', 'alike', ''), ('alike', 'bag', 'alike', ', k => 4'),
            ('bursts', 'doc, item, count', 'topics', ''), ('bursts', 'doc, item, count', 'topics', ', k => 4'), ('topics', 'bag', 'topics', ', k => 20'))]),
    'tree': ([f'CREATE TABLE {name} AS SELECT tlv_simulate_tree_model({model}, seed => {{s}}) truth' for name, model in (
        ('categories', '12, 3, contractions => 3, low => .7'), ('weakly', '10, 2, low => .5, high => .7'), ('gaussians', "12, 1, 'gaussian', contractions => 3, low => .75"),
        ('wide', "8, 2, 'gaussian'"))] + [
        f'CREATE TABLE {name}_rows AS SELECT s.* FROM {name}, tlv_simulate_tree(truth, {rows}, {{s}}) s' for name, rows in (
            ('categories', 800), ('weakly', 300), ('gaussians', 400), ('wide', 300))], [
        (name + options, f"tlv_tree('SELECT {column} FROM {name}_rows'{options})",
         f'SELECT -distance FROM {name}, tlv_robinson_foulds(truth, m)') for name, column, options in (
            ('categories', 'v', ', states => 3'), ('categories', 'v', ', states => 3, iterations => 50'), ('categories', 'v', ', bootstrap => 20'),
            ('categories', 'v', ", structure => 'clrg', observed_inside => true"), ('weakly', 'v', ''), ('gaussians', 'x', ''), ('gaussians', 'x', ', bootstrap => 20'),
            ('gaussians', 'x', ", structure => 'factors'"), ('categories', 'v', ', regularise => true'), ('wide', 'x', ', bootstrap => 30'), ('wide', 'x', ''))]),
    'crowd': ([f'CREATE TABLE {name} AS SELECT * FROM tlv_simulate_crowd({crowd}, seed => {{s}})' for name, crowd in (
        ('usual', '400, 40, 3, share => .17, high => .7'), ('few', '100, 30, 4, share => .1'), ('everyone', '300, 9, 2, share => 1, high => .5'),
        ('adverse', '300, 30, 3, adversarial => .2'))] + [
        "CREATE TABLE copied AS SELECT * FROM usual UNION ALL SELECT item, worker + 1000, CASE WHEN (hashint8(item + {s}) & 15) < 14 THEN answer ELSE 1 END, true_answer "
        'FROM usual WHERE worker <= 3'], [
        (name + options, f"tlv_crowd('SELECT item, worker, answer FROM {name}'{options})",
         f'SELECT avg((c.answer = t.true_answer)::int) FROM tlv_consensus(m) c JOIN (SELECT DISTINCT item, true_answer FROM {name}) t USING (item)') for name, options in (
            ('usual', ''), ('usual', ", refine => 'none'"), ('usual', ", start => 'moments'"),
            ('few', ''), ('few', ', restarts => 2'), ('everyone', ''), ('everyone', ", start => 'moments', refine => 'none'"),
            ('adverse', ''), ('copied', ''), ('copied', ', shrink => 4'))]),
    'network': ([f'CREATE TABLE {name} AS SELECT tlv_simulate_network_model({model}, seed => {{s}}) truth' for name, model in (
        ('units', '120, ARRAY[16], 14, .06'), ('dense', '60, ARRAY[8], 12, .08'), ('layers', '150, ARRAY[24, 4], 14, .1'), ('only_on', '100, ARRAY[12], 12, .05, negative => 0'))] + [
        f'CREATE TABLE {name}_rows AS SELECT s.* FROM {name}, tlv_simulate_network(truth, {size}, seed => {{s}}) s' for name, size in (
            ('units', '3000'), ('dense', '600'), ('layers', '3000, .01'), ('only_on', '1500, .02'))], [
        (name + options, f"tlv_network('SELECT active FROM {name}_rows'{options})", f'SELECT -avg(coalesce(distance, 1)) FROM {name}, tlv_match(truth, m)') for name, options in (
            ('units', ''), ('units', ", refine => 'none'"), ('dense', ''), ('layers', ', layers => 2'), ('only_on', ''))]),
}

SEEDS = {'tree': 4, 'crowd': 4, 'network': 4}  # how often a line is drawn, where that is not once

# -- the numbers ------------------------------------------------------------------
MORE = {'lda': ['src/model/topics/tuning.h']}  # numbers of other rooms that a line sees as well


def numbers(room):
    """(name, value as it is written) of a room's tuning.h"""
    for path in [*sorted(glob.glob(f'src/model/{room}/**/tuning.h', recursive=True)), *MORE.get(room, []), 'include/tensorlv/num/tuning.h']:
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
    """(qualities, digests, CPU seconds) of the fits: None and how it fails where one does.  A value may be nonsense: a fit has a minute,
    and where the server ends with it, the others go on with another connection."""
    qualities, digests, s, cost = [], [], None, 0
    for schema, _, model, quality in fits:
        sql = (f"SELECT ({quality}), md5(concat(m::text, (SELECT string_agg(w::text, ' ') FROM tlv_warnings(m) w))) FROM (SELECT {model} m OFFSET 0) q")
        try:
            if s is None:
                s = Session()
                s.set(client_min_messages='error', statement_timeout='60s')
                s.query('\\set ON_ERROR_STOP 0')
            s.query(f'SET search_path = {schema}, public')
            before = stat(s.pid)[0]
            rows = s.query(sql)
            cost += stat(s.pid)[0] - before
        except (SystemExit, OSError):
            rows, s = [['', 'server ends']], None
            while subprocess.run(['pg_isready', '-q']).returncode != 0:
                time.sleep(.2)
        qualities.append(float(rows[0][0]) if rows and rows[0][0] else None)
        digests.append(rows[0][1] if rows else 'failed')
    if s is not None:
        s.close()
    return qualities, digests, cost


FAILURES = 'failed', 'server ends'


def effect(base, other):
    """(fits that change, largest loss and mean change of the quality, ratio of CPU seconds)"""
    differing = sum(a != b for a, b in zip(base[1], other[1]))
    gains = [b - a for a, b in zip(base[0], other[0]) if a is not None and b is not None]
    failed = [d for d in other[1] if d in FAILURES and d not in base[1]]
    return differing, min(gains, default=0), sum(gains) / max(len(gains), 1), other[2] / max(base[2], .01), failed


def show(e):
    return [e[0] + 0, f'{e[1]:+.3f}', f'{e[2]:+.4f}', f'{e[3]:.2f}' + ''.join(f' {what}: {e[4].count(what)}' for what in sorted(set(e[4])))] if e[0] else ['', '', '', f'{e[3]:.2f}']


def measure(room):
    tables, fits = LINES[room]
    s = Session()
    for i in range(SEEDS.get(room, 1)):
        s.query(f'DROP SCHEMA IF EXISTS {room}{i} CASCADE')
        s.query(f'CREATE SCHEMA {room}{i}')
        s.query(f'SET search_path = {room}{i}, public')
        for statement in tables:
            s.query(statement.replace('{s}', str(SEED + i)))
    s.close()
    fits = [(f'{room}{i}', *fit) for i in range(SEEDS.get(room, 1)) for fit in fits]
    restart({})
    base = fit_all(fits)
    print(f'{room}: {len(fits)} fits, {base[2]:.1f} CPU s')
    print('   '.join(f'{name} {q if q is None else round(q, 3)}' for (_, name, _, _), q in zip(fits, base[0])), flush=True)
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
