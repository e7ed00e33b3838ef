"""Simulated questionnaires of 25 items, five scales: NMI of the scales found with the true ones, of six subsamples each, beside factor
analysis with varimax (every item to the scale of its largest loading) and average linkage of correlations; held-out log-likelihood of a
row of factors whose number is chosen, beside scikit-learn's FactorAnalysis by BIC."""
from common import in_child, np, table
from common_ahead import add, cell, cpu_cell, mean, other, seconds_of, seeds, timed
from common_graphs import nmi
from common_trees import copy_arrays
from trees_real import factor_analyses, questionnaire

ENOUGH, NATS, SUBSAMPLES, SCALES = .005, .02, 6, np.repeat(np.arange(5), 5)
ROWS = (300, 800)   # of a subsample


def varimax(x):
    from sklearn.decomposition import FactorAnalysis
    model, cpu = timed(lambda: FactorAnalysis(5, rotation='varimax').fit((x - x.mean(0)) / x.std(0)))
    return np.abs(model.components_).argmax(0), cpu


def linkage(x):
    from scipy.cluster.hierarchy import fcluster, linkage as join
    from scipy.spatial.distance import squareform
    return timed(lambda: fcluster(join(squareform(1 - np.corrcoef(x.T), checks=False), 'average'), 5, 'maxclust'))


def by_bic(x, test):
    return timed(lambda: factor_analyses(x - x.mean(0), test - x.mean(0), range(1, 11)))


def scales(s, options):
    """groups of the items by tlv_tree_clusters, CPU s"""
    s.query('DROP TABLE IF EXISTS m')
    cpu = seconds_of(s, f"CREATE TEMP TABLE m AS SELECT tlv_tree('SELECT v FROM answers'{options}) AS model")
    return np.array(s.query('SELECT cluster FROM m, tlv_tree_clusters(model, 5) ORDER BY variable'), int)[:, 0], cpu


def questionnaires(s):
    rows, factors = [], []
    for size in ROWS:
        found = {'categories': [], 'numbers': [], 'varimax': [], 'linkage': []}
        nats = {'ours': [], 'peer': []}
        for seed in seeds(2):
            everyone, rng = questionnaire(4000, seed), np.random.default_rng(seed)
            for _ in range(SUBSAMPLES):
                order = rng.permutation(len(everyone))
                x, test = everyone[order[:size]], everyone[order[size:]]
                copy_arrays(s, 'answers', [x.astype(int) - 1])
                for who, options in (('categories', ''), ('numbers', ", kind => 'gaussian'")):
                    labels, cpu = scales(s, options)
                    found[who].append((nmi(SCALES, labels), cpu))
                for peer in (varimax, linkage):
                    answer = in_child(peer, x)
                    if answer:
                        found[peer.__name__].append((nmi(SCALES, answer[0]), answer[1]))
            copy_arrays(s, 'answers', [x])   # factors: of the last subsample
            copy_arrays(s, 'rest', [test])
            s.query('DROP TABLE IF EXISTS m')
            cpu = seconds_of(s, "CREATE TEMP TABLE m AS SELECT tlv_tree('SELECT v FROM answers', structure => 'factors', kind => 'gaussian') AS model")
            nats['ours'].append((float(s.value('SELECT avg(tlv_log_likelihood(model, v)) FROM m, rest')), cpu))
            answer = in_child(by_bic, x, test)
            if answer:
                nats['peer'].append((answer[0][0], answer[1]))
        score, cpu = ({who: mean([f[i] for f in answers]) for who, answers in found.items()} for i in (0, 1))
        for who in 'categories', 'numbers':
            add(rows, [f'{size} rows, as {who}', cell(score[who], [score['varimax'], score['linkage']], ENOUGH), other(score['varimax']), other(score['linkage']),
                       cpu_cell(cpu[who], cpu['varimax']), other(cpu['varimax']), other(cpu['linkage'])])
        own, peer = ([mean([f[i] for f in nats[who]]) for i in (0, 1)] for who in ('ours', 'peer'))
        add(factors, [f'{size} rows', cell(own[0], [peer[0]], NATS), other(peer[0]), cpu_cell(own[1], peer[1]), other(peer[1], 2)])
    table("tlv_tree_clusters(tlv_tree, 5), all defaults: NMI of the scales, CPU s; bar: the best peer's NMI, varimax' CPU s",
          ['', 'NMI', 'varimax', 'average linkage', 'CPU s', 'varimax', 'average linkage'], rows)
    table("tlv_tree(structure => 'factors'), their number chosen: log-likelihood of a held-out row, CPU s", ['', 'held out', 'FactorAnalysis by BIC', 'CPU s', 'FactorAnalysis'], factors)
