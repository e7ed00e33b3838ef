"""Communities of graphs whose memberships are known (the reference's generators, regenerated here), each beside the
figure of the numpy prototype and the bound asked for: the acceptance sets, the table of settings by moments of the
whole graph and by refinement, and the thesis' table of synthetic communities.
--seeds=1,2,3: others than seed 1, for which the figures hold; --quick: without the graphs of 9 M edges."""
import sys
from common import Session, machine, table
from common_graphs import Graph, accuracy, error_and_recovery, fit, generators, half_l1, matrix, nmi, option

g = generators()
SEEDS, QUICK = option('seeds', [1]), '--quick' in sys.argv
MET = [0, 0]


def check(value, figure, best=0):
    """'value (bound)' and whether it is within 1.10 x figure + .005 of the best"""
    bound = 1.10 * abs(best - figure) + .005
    ok = abs(best - value) <= bound
    MET[not ok] += 1
    return f'{value:.4f}', f'{figure:.4g} ({abs(best - bound):.4f})', 'met' if ok else 'MISSED'


def draw(name, seed, **parameters):
    G, Pi, _ = g.mmsb(seed=seed, **parameters)
    return Graph(name, G, Pi)


def measure(s, graph, alpha0, options):
    cost, d = fit(s, graph.k, f', alpha0 => {alpha0}{options}')
    M = matrix(s)
    return half_l1(s), accuracy(graph.Pi, M), M, cost, d


WHOLE, REFINED = ", refine => 'none'", ''


# half L1, accuracy of the moments; accuracy after refinement (prototype: of a pseudo-likelihood, without mixed memberships)
ACCEPT = {'sbm': (dict(n=1000, k=5, p=.1, q=.02), .1254, 1., 1.),
          'mmsb_a1': (dict(n=2000, k=5, p=.3, q=.02, alpha0=1.), .0871, .9445, None),
          'mmsb_k10': (dict(n=2000, k=10, p=.3, q=.02, alpha0=1.), .1589, .9105, None)}


def acceptance(s):
    rows = []
    for name, (parameters, l1, right, polished) in ACCEPT.items():
        for seed in SEEDS:
            graph, alpha0 = draw(name, seed, **parameters), parameters.get('alpha0', 0)
            graph.load(s)
            plain = measure(s, graph, alpha0, WHOLE)
            refined = measure(s, graph, alpha0, REFINED)
            row = [f'{name}, seed {seed}', *check(plain[0], l1), *check(plain[1], right, 1), plain[4]['residual'], f'{refined[0]:.4f}']
            rows.append(row + (list(check(refined[1], polished, 1)) if polished else [f'{refined[1]:.4f}', '', '']))
    table('Acceptance sets (figure of the prototype at seed 1, in brackets the bound)',
          ['set', 'half L1', 'figure', '', 'accuracy', 'figure', '', 'residual', 'refined', 'accuracy', 'figure', ''], rows)


# parameters; half L1 (of plain blocks: accuracy) by the whole graph, refined, by four parts (no longer run), regularised spectral; NMI alike
SETTINGS = {'SBM .2/.02': (dict(n=2000, k=10, p=.2, q=.02), 1., 1., .992, 1.),
            'SBM .1/.01': (dict(n=2000, k=10, p=.1, q=.01), 1., 1., .899, 1.),
            'SBM .05/.005': (dict(n=2000, k=10, p=.05, q=.005), .990, .993, .378, .989),
            'SBM .04/.008': (dict(n=2000, k=10, p=.04, q=.008), .613, .883, .153, .829),
            'SBM n=10k k=20 .05/.002': (dict(n=10000, k=20, p=.05, q=.002), 1., 1., .973, None),
            'MMSB .3/.02 a0=.2': (dict(n=2000, k=10, p=.3, q=.02, alpha0=.2), .076, None, .173, .110),
            'MMSB .3/.02 a0=1': (dict(n=2000, k=10, p=.3, q=.02, alpha0=1.), .159, .152, .318, .344),
            'MMSB .3/.02 a0=3': (dict(n=2000, k=10, p=.3, q=.02, alpha0=3.), .423, None, .688, .598),
            'MMSB n=5k k=20 .3/.02 a0=1': (dict(n=5000, k=20, p=.3, q=.02, alpha0=1.), .176, None, .329, .362)}
NMIS = {'SBM .2/.02': (1., 1., .977), 'SBM .1/.01': (1., 1., .775), 'SBM .05/.005': (.974, .981, .190), 'SBM .04/.008': (.384, .751, .02)}


def settings(s):
    blocks, mixed = [], []
    for name, (parameters, *figures, spectral) in SETTINGS.items():
        for seed in SEEDS:
            graph, alpha0 = draw(name, seed, **parameters), parameters.get('alpha0', 0)
            graph.load(s)
            row, costs = [f'{name}, seed {seed}'], []
            for number, (options, figure) in enumerate(zip((WHOLE, REFINED), figures)):
                l1, right, M, cost, d = measure(s, graph, alpha0, options)
                costs.append(f'{cost.cpu:.2f}')
                if alpha0 == 0:
                    row += check(right, figure, 1)
                    row.append(f'{nmi(graph.labels, M.argmax(1)):.3f}' + (f' ({NMIS[name][number]:.3f})' if name in NMIS else ''))
                else:
                    error, recovered = error_and_recovery(s)
                    row += check(l1, figure if figure else figures[0])
                    row.append(f'{error:.3f}, {recovered:.2f}')
            (mixed if alpha0 else blocks).append(row + [spectral, ' '.join(costs)])
    head = ['figure', '']
    table('Blocks: accuracy (figure of the prototype at seed 1, in brackets the bound) and NMI (figure)',
          ['n = 2000, k = 10', 'whole', *head, 'NMI', 'refined', *head, 'NMI', 'spectral, reported', 'CPU s'], blocks)
    table("Mixed memberships: half L1, and the thesis' error and recovery ratio; the refined ones bound by the moments' figure where there is none",
          ['n = 2000, k = 10', 'whole', *head, 'E, R', 'refined', *head, 'E, R', 'spectral, reported', 'CPU s'], mixed)


# the thesis' error and seconds; error of the prototype (four parts) where it was run
THESIS = {(0, 100): (.1200, .5, .128), (0, 1000): (.1010, 1.2, .0431), (0, 10000): (.0841, 43.2, None),
          (1, 100): (.1455, .5, .133), (1, 1000): (.1452, 1.2, .0705), (1, 10000): (.1259, 42.2, None)}


def thesis(s):
    rows = []
    for (alpha0, n), (figure, seconds, prototype) in THESIS.items():
        if QUICK and n == 10000:
            continue
        for seed in SEEDS:
            graph = draw('', seed, n=n, k=10, p=.9, q=.1, alpha0=alpha0)
            graph.load(s)
            even = abs(graph.Pi - .1).sum(1).mean() / 2
            for name, options in (('refined', REFINED), ('whole', WHOLE)):
                l1, right, M, cost, d = measure(s, graph, alpha0, options)
                error, recovered = error_and_recovery(s)
                ok = error <= figure and cost.wall <= seconds
                MET[not ok] += 1
                rows.append([f'n = {n}, alpha0 = {alpha0}, {name}, seed {seed}', f'{error:.4f}', f'{figure:.4f}', prototype, f'{recovered:.2f}',
                             f'{cost.wall:.2f}', seconds, f'{cost.cpu:.2f}', 'met' if ok else 'MISSED', f'{right:.4f}',
                             f'{nmi(graph.labels, M.argmax(1)):.4f}', f'{l1:.4f}', f'{even:.4f}', round(cost.leader_mb)])
    table("The thesis' synthetic communities, k = 10, .9 inside, .1 across: its error E (an estimate of zeros scores .100), as corrected, and seconds",
          ['', 'E', 'thesis', 'prototype', 'R', 'wall s', 'thesis', 'CPU s', '', 'accuracy', 'NMI', 'half L1', 'even shares', 'MB'], rows)


session = Session(max_parallel_workers_per_gather=0, tensorlv__work_mem='4GB')
machine(session)
acceptance(session)
settings(session)
thesis(session)
print(f'\n{MET[0]} bounds met, {MET[1]} missed.  Accuracy: share of nodes whose largest membership is the true one; for it the '
      'bound is of its complement.  E, R: error and recovery ratio of the thesis.')
