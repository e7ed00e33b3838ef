"""Accuracy on the acceptance sets of the reference (its generators, regenerated here): topics
before and after refinement, Dirichlet parameters, alpha0 and k estimated, each beside the figure
of the numpy prototype and the bound asked for.  Wants the generators (TLV_GENERATORS, or beside
the peers' scripts).  --seeds=1,2,3: others than seed 1, for which the figures hold."""
import os, sys
from common import Session, machine, np, table, topics_of
from scipy.optimize import linear_sum_assignment

PEERS = os.environ.get('TLV_PEERS', '../shared/bench-peers')
GENERATORS = os.environ.get('TLV_GENERATORS', os.path.join(PEERS, '..', 'reference', 'prototypes'))
if not os.path.exists(os.path.join(GENERATORS, 'generators.py')):
    sys.exit(f'skipped: no generators.py in {GENERATORS} (set TLV_GENERATORS)')
sys.path.insert(0, GENERATORS)
import generators

# parameters; figures: L1 after projection on the simplex, after 5 Gibbs-EM steps, alpha error, alpha0, k
SETS = {'lda_small': (dict(n=2000, V=200, k=5, length=50, alpha=.2), .0584, .0497, .0284, 1.122),
        'lda_mid': (dict(n=5000, V=1000, k=10, length=60, alpha=.1), .1161, .1004, .0367, .907),
        'lda_het': (dict(n=5000, V=1000, k=10, length=60, alpha='het'), .1285, .1131, .0189, .986),
        'lda_base': (dict(n=10000, V=2000, k=20, length=100, alpha=.1), .1568, .1365, .0229, 1.99),
        'lda_short': (dict(n=10000, V=2000, k=20, length=20, alpha=.1), .3613, .3427, .0281, 2.861)}
seeds = [int(s) for a in sys.argv if a.startswith('--seeds=') for s in a[8:].split(',')] or [1]


def match(A, B):
    """columns of B in the order of A's, L1 distance of each"""
    D = np.stack([np.abs(A[:, [j]] - B).sum(0) for j in range(A.shape[1])])
    order = linear_sum_assignment(D)[1]
    return order, D[np.arange(len(order)), order]


def column(session, model, name):
    return np.array([r[0] for r in session.query(f'SELECT {name} FROM ({model}) AS q(model), tlv_topics(q.model) ORDER BY topic')], float)


s = Session(max_parallel_workers_per_gather=0)
machine(s)
rows, met, missed = [], 0, 0
for name, (parameters, figure, refined, alpha_figure, alpha0_figure) in SETS.items():
    for seed in seeds:
        C, A, alpha, _ = generators.lda(seed=seed, **parameters)
        k, a0 = A.shape[1], alpha.sum()
        t = C.tocoo()
        s.copy('accept', 'doc item n', [t.row, t.col, t.data])
        s.query('DROP TABLE IF EXISTS accept_docs; CREATE TABLE accept_docs AS SELECT tlv_bag_agg(item, n) AS bag FROM accept GROUP BY doc')
        fit = f"tlv_lda('SELECT bag FROM accept_docs', k => {k}, "
        s.query('DROP TABLE IF EXISTS accept_models; CREATE TABLE accept_models AS SELECT '
                f"{fit} alpha0 => {a0}, refine => 'none') AS plain, {fit} alpha0 => {a0}, iterations => 5) AS refined, "
                f"{fit} refine => 'none') AS free, (SELECT k FROM tlv_suggest_k('SELECT bag FROM accept_docs', 'held_out', max_k => {k + 15}) WHERE chosen) AS k")
        plain = 'SELECT plain FROM accept_models'
        order, errors = match(A, topics_of(s, plain, A.shape[0]))
        after = match(A, topics_of(s, 'SELECT refined FROM accept_models', A.shape[0]))[1].mean()
        alpha_error = np.abs(column(s, plain, 'alpha')[order] - alpha).sum() / a0
        free = float(s.value("SELECT score FROM accept_models, tlv_diagnostics(free) WHERE measure = 'alpha0'"))
        found = int(s.value('SELECT k FROM accept_models'))
        checks = [errors.mean() <= 1.10 * figure + .005, after <= 1.15 * refined + .01, found == k,
                  alpha_error <= 1.10 * alpha_figure + .005]
        met, missed = met + sum(checks), missed + len(checks) - sum(checks)
        rows.append([f'{name}, seed {seed}', float(errors.mean()), f'{figure} ({1.10 * figure + .005:.4f})', float(errors.max()), float(after),
                     f'{refined} ({1.15 * refined + .01:.4f})', float(alpha_error), f'{alpha_figure} ({1.10 * alpha_figure + .005:.4f})', free, f'{alpha0_figure} ({a0:g})', found, k,
                     'met' if all(checks) else 'MISSED ' + ', '.join(n for n, c in zip(('L1', 'refined', 'k', 'alpha'), checks) if not c)])
table('Topics of the acceptance sets (figure of the prototype at seed 1, in brackets the bound or the truth)',
      ['set', 'L1', 'figure', 'L1 max', 'refined', 'figure', 'alpha error', 'figure', 'alpha0', 'figure', 'k found', 'k', ''], rows)
print(f'\n{met} bounds met, {missed} missed')
