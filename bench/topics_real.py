"""Topics of real texts: held-out perplexity, coherence, agreement with the newsgroups, CPU
seconds; against the models of scikit-learn and of tomotopy (pip install tomotopy), run and scored in the same way.
AP ships with the repository, the newsgroups are looked for in TLV_SHARED_DATA.  --quick: AP without peers;
--runs=1: of each, ours and theirs (2), the least CPU seconds count."""
import gzip, os, sys
from common import Session, in_child, machine, np, perplexity, stat, table, topics_of, with_corpus
from common_topics import tomotopy_topics

QUICK = '--quick' in sys.argv
RUNS = next((int(a[7:]) for a in sys.argv if a.startswith('--runs=')), 2)
SHARED = os.environ.get('TLV_SHARED_DATA', '')
NEWS = os.path.join(SHARED, 'newsgroups20-train')
K, ALPHA = 20, 0.1
REPORTED = {'ap': [['MADlib sampler, 200 sweeps', 2831, 16.7], ['R lda collapsed Gibbs, 200 sweeps', 2858, 3.4],
                   ['gensim LdaModel, 10', 3840, 5.5], ['SpectralLDA (tensor)', 5368, 34.3]],
            'news20r': [['MADlib sampler, 200 sweeps', 2366, 37.0], ['R lda collapsed Gibbs, 200 sweeps', 2415, 8.9],
                        ['gensim LdaModel, 10', 2860, 17.9], ['SpectralLDA (tensor)', 3769, 28.1]]}
ASKED = {'ap': (2800, 16.7 / 5), 'news20r': (2360, 37.0 / 5)}


def corpus(name):
    """training counts, held-out counts, labels of the training documents: the split of the peers' figures"""
    import scipy.sparse as sp
    folder, n_items = ('examples/ap', 10473) if name == 'ap' else (NEWS, 61188)
    t = np.loadtxt(gzip.open(os.path.join(folder, 'doc_word.csv.gz'), 'rt'), delimiter=',', skiprows=1, dtype=int)
    C = sp.csr_matrix((t[:, 2], (t[:, 0] - 1, t[:, 1] - 1)), shape=(t[:, 0].max(), n_items))
    if name == 'news20r':     # the usual pruning: no word in more than 10% of documents or in fewer than 20
        frequency = np.asarray((C > 0).sum(0)).ravel()
        C = C[:, (frequency >= 20) & (frequency <= 0.1 * C.shape[0])]
    order = np.random.default_rng(3).permutation(C.shape[0])
    held = C.shape[0] // 10
    labels = None
    if name == 'news20r':
        labels = np.loadtxt(gzip.open(os.path.join(folder, 'labels.csv.gz'), 'rt'), delimiter=',', skiprows=1, dtype=int)
        labels = labels[np.argsort(labels[:, 0]), 1][order[held:]]
    return C[order[held:]], C[order[:held]], labels


def fit_peer(C, algorithm):
    """topics V x k and CPU seconds of scikit-learn"""
    from sklearn.decomposition import NMF, LatentDirichletAllocation
    import scipy.sparse as sp
    before = stat(os.getpid())[0]
    if algorithm.startswith('NMF'):
        m = NMF(K, init='nndsvda', beta_loss='kullback-leibler' if 'KL' in algorithm else 'frobenius',
                solver='mu' if 'KL' in algorithm else 'cd', max_iter=200, random_state=0)
        X = C.astype(float)
        m.fit(sp.diags(1 / np.maximum(np.asarray(X.sum(1)).ravel(), 1)) @ X)
    else:
        m = LatentDirichletAllocation(
            K, doc_topic_prior=ALPHA, topic_word_prior=0.1, learning_method='online' if 'on-line' in algorithm else 'batch',
            max_iter=int(algorithm.split(', ')[1]), random_state=0, learning_offset=10., learning_decay=0.7,
            batch_size=1024).fit(C)
    return (m.components_ / np.maximum(m.components_.sum(1, keepdims=True), 1e-300)).T, stat(os.getpid())[0] - before


def peers(C):
    """(name, topics, CPU seconds) of the peers, each run in processes of its own"""
    for algorithm in ['LDA batch, 20', 'LDA on-line, 10', 'NMF KL', 'NMF Frobenius']:
        runs = [in_child(fit_peer, C, algorithm) for _ in range(RUNS)]
        yield 'scikit-learn ' + algorithm, runs[0][0], min(r[1] for r in runs)
    yield from tomotopy_topics(C, K, ALPHA, runs=RUNS)


def ours(name, options):
    """the session of the last run, whose table m has the model, and the least cost"""
    costs = []
    for turn in range(RUNS):
        s = Session(max_parallel_workers_per_gather=0)
        costs.append(s.cost(f"CREATE TEMP TABLE m AS SELECT tlv_lda('SELECT doc, item, n FROM {name}', k => {K}{options}) AS model")[1])
        if turn < RUNS - 1:
            s.close()
    return s, min(costs, key=lambda c: c.cpu)


def coherence(s, name, model):
    return float(s.value(f"SELECT avg(npmi) FROM tlv_coherence((SELECT tlv_coherence(bag, ({model})) FROM {name}_bags))"))


def agreement(s, name, model, labels):
    """normalised mutual information of tlv_assign and the labels"""
    if labels is None:
        return ''
    from sklearn.metrics import normalized_mutual_info_score
    rows = s.query(f"SELECT doc, tlv_assign((SELECT model FROM ({model}) AS q(model)), bag) FROM {name}_bags")
    rows = [(int(doc), int(topic)) for doc, topic in rows if topic]
    return float(normalized_mutual_info_score(labels[[r[0] for r in rows]], [r[1] for r in rows]))


def store_peer(s, B):
    """a table with the peer's topics as a model"""
    path = os.path.join(os.environ.get('TMPDIR', '/tmp'), 'peer.csv')
    i, j = np.nonzero(B)
    np.savetxt(path, np.c_[j + 1, i, B[i, j]], fmt=('%d', '%d', '%.17g'), delimiter=',')
    s.query('DROP TABLE IF EXISTS topics, peer; CREATE TEMP TABLE topics (topic int, item bigint, p float8)')
    s.query(f"\\copy topics FROM '{path}' WITH (FORMAT csv)")
    os.unlink(path)
    s.query(f'CREATE TEMP TABLE peer AS SELECT tlv_topic_model(array_agg(topic), array_agg(item), array_agg(p), '
            f'array_fill({ALPHA}::float8, ARRAY[{K}])) AS model FROM topics')


names = ['ap'] + (['news20r'] if os.path.exists(NEWS) and not QUICK else [])
for name in names:
    C, T, labels = corpus(name)
    triples = C.tocoo()
    s = Session(max_parallel_workers_per_gather=0)
    if name == 'ap':
        machine(s)
    s.copy(name, 'doc item n', [triples.row, triples.col, triples.data])
    s.query(f'CREATE UNLOGGED TABLE {name}_bags AS SELECT doc, tlv_bag_agg(item, n) AS bag FROM {name} GROUP BY doc')
    s.query(f'ANALYZE {name}_bags')
    seen = np.asarray(C.sum(0)).ravel() > 0
    lines = []
    s.close()
    for label, options in (('tensorlv, all defaults', ''), ('tensorlv, refined by gibbs', ", refine => 'gibbs'"),
                           ('tensorlv, moments', ", refine => 'none'")):
        s, cost = ours(name, options)
        model = 'SELECT model FROM m'
        B = topics_of(s, model, C.shape[1], seen)
        if 'none' in options:     # moments leave rare items out, and zeros in
            B = with_corpus(B, C)
            store_peer(s, B)
            model = 'SELECT model FROM peer'
        d = dict(s.query("SELECT concat_ws('_', measure, component), score FROM m, tlv_diagnostics(model)"))
        print(f"{name}, {label}: alpha0 {float(d['alpha0']):.3f}, damped {d.get('counts_damped')}, refinement steps "
              f"{d.get('refinement_steps', 0)}, wall {cost.wall:.1f} s, {cost.leader_mb:.0f} MB"
              + f", {sum(n.startswith('warning') for n in d)} warnings", flush=True)
        lines.append([label, cost.cpu, perplexity(B, ALPHA, T), coherence(s, name, model), agreement(s, name, model, labels)])
        s.close()
    s = Session(max_parallel_workers_per_gather=0)
    for label, B, cpu in [] if QUICK else peers(C):
        store_peer(s, B)
        model = 'SELECT model FROM peer'
        lines.append([label, cpu, perplexity(B, ALPHA, T), coherence(s, name, model),
                      agreement(s, name, model, labels)])
    lines += [[r[0] + ', reported', r[2], float(r[1]), '', ''] for r in REPORTED[name]]
    mean = (np.asarray(C.sum(0)).ravel() + 0.1)[:, None]
    lines.append(['corpus mean, no topics', '', perplexity(mean / mean.sum(), ALPHA, T), '', ''])
    table(f'{name}: {C.shape[0]} training documents, {C.shape[1]} items, {int(C.sum())} tokens, k = {K}; '
          f'asked for: perplexity <= {ASKED[name][0]} in at most {ASKED[name][1]:.1f} CPU s',
          ['', 'CPU s', 'perplexity', '/ tensorlv', 'NPMI', 'NMI'],
          [[r[0], r[1], f'{r[2]:.1f}', f'{r[2] / lines[0][2]:.3f}', r[3] if r[3] == '' else f'{r[3]:.4f}',
            r[4] if r[4] == '' else f'{r[4]:.3f}'] for r in lines])
    print('  MADlib / tensorlv in CPU seconds: ' + f'{REPORTED[name][0][2] / lines[0][1]:.1f}')
if 'news20r' not in names:
    print('newsgroups: skipped' + ('' if QUICK else f', {NEWS} is not there'))
print(f'All on one thread, the least CPU seconds of {RUNS} runs; reported: single runs, earlier.')
print('NPMI: mean coherence of the 10 top items of every topic, in the training documents (tlv_coherence).  '
      'NMI: tlv_assign against the newsgroups, training documents.')
