"""Answers of workers: items that tlv_crowd has wrong, of 100, on five public sets and on simulated ones, beside the majority
and crowd-kit's Dawid-Skene, one-coin, MACE and GLAD (pip install crowd-kit), and processor seconds of all; tables with workers who
copy a key, beside the majority and the fit that does not look for them; then time and memory for up to two million answers.

bench/crowd.py [--part=public,simulated,copies,growth] [--peers=none] [--seeds=1,101,102,103] [--largest=400000]: without peers; seeds of the simulated sets (that of the
reference figures is 1); [--copying=5]: how many of the tables of copies; items of the largest table."""
import os
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
import gzip, sys, time, warnings
from common import Session, machine, np, table

warnings.filterwarnings('ignore')
OPTIONS = dict(a.removeprefix('--').split('=') for a in sys.argv[1:])
SEEDS = [int(s) for s in OPTIONS.get('seeds', '1,101,102,103').split(',')]
LARGEST = int(OPTIONS.get('largest', 400000))
FOLDER = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'crowd')

# items, workers, answers, share, skill from, to, adversarial, and the reference figure at seed 1
SIMULATED = {'800 x 60, k 2': (800, 60, 2, .17, .0, .6, 0, 5.87), '800 x 60, k 4': (800, 60, 4, .17, .0, .5, 0, 9.62),
             '2665 x 60, k 5': (2665, 60, 5, .10, .0, .6, 0, 17.49), 'poor, k 5': (2665, 60, 5, .10, .0, .4, 0, 25.14),
             'adversarial, k 3': (2000, 60, 3, .2, .1, .6, .3, 3.60)}
PUBLIC = {'bluebird': 10.19, 'rte': 7.13, 'dog': 15.99, 'web': 17.49, 'trec': 29.19}


# workers, of whom copy, answers to choose from, answers an item; asked: wrong of 1 by the majority, without copies and with them, the share of copiers
# found, honest workers flagged (mean number)
COPYING = {(30, 0, 2, 3): (.167, .178, .178, 0, 0), (30, 0, 2, 5): (.101, .082, .082, 0, 0), (30, 0, 2, 10): (.049, .024, .024, 0, 0),
           (30, 0, 4, 3): (.238, .221, .221, 0, 0), (30, 0, 4, 5): (.148, .123, .123, 0, 0), (30, 0, 4, 10): (.047, .026, .026, 0, 0),
           (30, 0, 8, 3): (.317, .307, .307, 0, 0), (30, 0, 8, 5): (.149, .134, .134, 0, 0), (30, 0, 8, 10): (.036, .021, .021, 0, 0),
           (30, 8, 2, 3): (.202, .224, .224, 0, 0), (30, 8, 2, 5): (.164, .214, .124, 1, 0), (30, 8, 2, 10): (.123, .158, .041, 1, 0),
           (30, 8, 4, 3): (.326, .349, .331, .40, .2), (30, 8, 4, 5): (.245, .249, .189, 1, 0), (30, 8, 4, 10): (.178, .188, .056, 1, 0),
           (30, 8, 8, 3): (.391, .396, .370, .97, .2), (30, 8, 8, 5): (.276, .294, .214, 1, 0), (30, 8, 8, 10): (.211, .217, .063, 1, 0),
           (40, 12, 2, 3): (.209, .252, .252, 0, 0), (40, 12, 2, 5): (.175, .277, .176, .78, 0), (40, 12, 2, 10): (.149, .308, .045, 1, 0),
           (40, 12, 4, 3): (.341, .366, .354, .15, 0), (40, 12, 4, 5): (.282, .314, .209, 1, 0), (40, 12, 4, 10): (.197, .261, .072, 1, 0),
           (40, 12, 8, 3): (.396, .406, .372, .60, 0), (40, 12, 8, 5): (.304, .315, .275, .60, 3.2), (40, 12, 8, 10): (.232, .256, .066, 1, 0)}


def simulate_copies(seed, workers, copiers, k, each):
    """as the reference does it, of 400 items: copiers say what a common key says, which knows a quarter, with probability .9"""
    rng = np.random.default_rng(seed)
    truth, knows, confusions = rng.integers(0, k, 400), rng.uniform(.2, .8, workers), np.empty((workers, k, k))
    for j in range(workers):
        other = rng.dirichlet(np.full(k, 2.), k)
        confusions[j] = knows[j] * np.eye(k) + (1 - knows[j]) * other
    copies = np.zeros(workers, bool)
    copies[rng.permutation(workers)[:copiers]] = True
    key = np.where(rng.random(400) < .25, truth, rng.integers(0, k, 400))
    rows = [(i, j, key[i] if copies[j] and rng.random() < .9 else rng.choice(k, p=confusions[j, truth[i]]))
            for i in range(400) for j in rng.choice(workers, min(each, workers), False)]
    items, workers, answers = np.array(rows).T
    return items, workers, answers, truth, copies


def simulate(seed, n, m, k, share, low, high, adversarial):
    """as the reference does it: items, workers, answers, truth, all from 0"""
    rng = np.random.default_rng(seed)
    truth, seen = rng.integers(0, k, n), rng.random((n, m)) < share
    items, workers = np.nonzero(seen)
    confusions = np.empty((m, k, k))
    for j in range(m):
        skill = rng.uniform(low, high)
        confusions[j] = skill * np.eye(k) + (1 - skill) * rng.dirichlet(np.ones(k), k)
        if rng.random() < adversarial:
            confusions[j] = confusions[j][:, rng.permutation(k)]
    u = rng.random(len(items))
    answers = (u[:, None] > np.cumsum(confusions[workers, truth[items]], 1)).sum(1)
    return items, workers, np.minimum(answers, k - 1), truth


def public(name):
    given, truth = (np.loadtxt(gzip.open(os.path.join(FOLDER, f'{name}_{part}.csv.gz'), 'rt'), delimiter=',', skiprows=1, dtype=int)
                    for part in ('crowd', 'truth'))
    y = np.full(given[:, 0].max() + 1, -1)
    y[truth[truth[:, 0] < len(y), 0]] = truth[truth[:, 0] < len(y), 1]
    return given[:, 0], given[:, 1], given[:, 2], y


def wrong(said, truth):
    """of 100 items whose truth is known and that have an answer"""
    known = [i for i in said if truth[i] >= 0]
    return 100 * np.mean([said[i] != truth[i] for i in known])


def majority(items, answers, truth):
    """a tie of r answers is wrong by 1 - 1/r"""
    counts = np.zeros((items.max() + 1, answers.max() + 1))
    np.add.at(counts, (items, answers), 1)
    known = np.flatnonzero((truth[:len(counts)] >= 0) & (counts.sum(1) > 0))
    best = counts[known] == counts[known].max(1, keepdims=True)
    return 100 * np.mean(1 - best[np.arange(len(known)), truth[known]] / best.sum(1))


def peers(items, workers, answers, truth):
    if OPTIONS.get('peers') == 'none':
        return {}
    try:
        import pandas as pd
        from crowdkit.aggregation import DawidSkene, GLAD, MACE, OneCoinDawidSkene
    except ImportError as missing:
        print(f'{missing}: pip install crowd-kit', file=sys.stderr)
        OPTIONS['peers'] = 'none'
        return {}
    rows, found = pd.DataFrame(dict(task=items, worker=workers, label=answers)), {}
    for name, make, most in (('Dawid-Skene', lambda: DawidSkene(n_iter=100), 1e9), ('one coin', lambda: OneCoinDawidSkene(n_iter=100), 1e9),
                             ('MACE', lambda: MACE(n_restarts=3, n_iter=30), 2e4), ('GLAD', lambda: GLAD(n_iter=30), 9e3)):
        if len(rows) > most:
            continue
        start = time.process_time()
        said = make().fit_predict(rows)
        found[name] = (wrong(dict(said), truth), time.process_time() - start)
    return found


session = Session(tensorlv__work_mem='2GB', max_parallel_workers_per_gather=0)
session.set(client_min_messages='error') # groups of workers who copy are printed


def ours(items, workers, answers, options=''):
    """what is said of every item, and the cost"""
    session.copy('answers', 'item worker answer', [items, workers, answers])
    session.query("DROP TABLE IF EXISTS models; CREATE TABLE models (m tlv_model)")
    cost = session.median(f"SELECT tlv_crowd('SELECT item, worker, answer FROM answers'{options}) IS NULL")
    session.query(f"INSERT INTO models SELECT tlv_crowd('SELECT item, worker, answer FROM answers'{options})")
    return {int(i): int(a) for i, a in session.query('SELECT item, answer FROM models, tlv_consensus(m)')}, cost


def compare(title, sets):
    rows = []
    for name, (data, asked) in sets.items():
        items, workers, answers, truth = data
        said, cost = ours(items, workers, answers)
        first, _ = ours(items, workers, answers, ", start => 'majority'")
        theirs = peers(items, workers, answers, truth)
        rows.append([name, len(items), f'{majority(items, answers, truth):.2f}', f'{wrong(said, truth):.2f}', asked, f'{wrong(first, truth):.2f}', f'{cost.cpu:.2f}']
                    + [f'{theirs[p][0]:.2f} ({theirs[p][1]:.1f} s)' if p in theirs else '-' for p in ('Dawid-Skene', 'one coin', 'MACE', 'GLAD')])
    table(title, ['set', 'answers', 'majority', 'tlv_crowd', 'asked', 'from the majority', 'CPU s', 'Dawid-Skene', 'one coin', 'MACE', 'GLAD'], rows)


def copy():
    rows = []
    for case, asked in COPYING.items():
        figures = []
        for seed in range(int(OPTIONS.get('copying', 5))):
            items, workers, answers, truth, copies = simulate_copies(seed, *case)
            said, _ = ours(items, workers, answers)
            flagged = {int(j) for j, group in session.query('SELECT worker, coalesce(copies, 0) FROM models, tlv_workers(m)') if int(group) > 0}
            ignored, _ = ours(items, workers, answers, ", copies => 'ignore'")
            figures.append([majority(items, answers, truth) / 100, wrong(ignored, truth) / 100, wrong(said, truth) / 100,
                            np.mean([j in flagged for j in np.flatnonzero(copies)]) if copies.any() else 0, sum(not copies[j] for j in flagged)])
        rows.append([', '.join(map(str, case))] + [f'{f:.3f} ({a:.3f})' for f, a in zip(np.mean(figures, 0), asked)])
    table('Workers who copy: items wrong, of 1 (asked)', ['workers, copiers, k, answers', 'majority', "copies => 'ignore'", 'tlv_crowd', 'copiers found', 'honest flagged'], rows)


def grow():
    rows, n = [], LARGEST // 8
    while n <= LARGEST:
        session.query('DROP TABLE IF EXISTS many')
        session.query(f'CREATE UNLOGGED TABLE many AS SELECT * FROM tlv_simulate_crowd({n}, 1000, 4, .005, 0, .7)')
        answers = int(session.value('SELECT count(*) FROM many'))
        fitted, cost = session.cost("CREATE TEMP TABLE m AS SELECT tlv_crowd('SELECT item, worker, answer FROM many') AS m")
        bytes_ = int(session.value('SELECT pg_column_size(tlv_crowd_answers(item, worker, answer)) FROM many'))
        share = float(session.value('SELECT 100 * avg((c.answer <> t.true_answer)::int) FROM m, tlv_consensus(m) c JOIN '
                                    '(SELECT DISTINCT item, true_answer FROM many) t USING (item)'))
        session.query('DROP TABLE m')
        rows.append([n, answers, f'{cost.cpu:.2f}', f'{cost.leader_mb:.0f}', f'{bytes_ / answers:.1f}', f'{share:.2f}'])
        n *= 2
    x = np.log([float(r[1]) for r in rows])
    slope = lambda column: np.polyfit(x, np.log([max(float(r[column]), .01) for r in rows]), 1)[0]
    rows.append(['slope', '', f'{slope(2):.2f}', f'{slope(3):.2f}', '', ''])
    table('1,000 workers, 4 answers to choose from, five to an item', ['items', 'answers', 'CPU s', 'MB', 'bytes stored / answer', '% wrong'], rows)


machine(session)
PARTS = OPTIONS.get('part', 'public,simulated,copies,growth').split(',')
if 'public' in PARTS and os.path.isdir(FOLDER):
    compare('Public sets: items wrong, of 100', {name: (public(name), asked) for name, asked in PUBLIC.items()})
elif 'public' in PARTS:
    print('the data crowd are not there: TLV_SHARED_DATA names their folder')
for seed in SEEDS if 'simulated' in PARTS else []:
    compare(f'Simulated, seed {seed}: items wrong, of 100',
            {name: (simulate(seed, *s[:-1]), s[-1] if seed == 1 else '') for name, s in SIMULATED.items()})
if 'copies' in PARTS:
    copy()
if 'growth' in PARTS:
    grow()
