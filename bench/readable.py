"""How topics read: NPMI of the ten first words on the training documents and on a fifth that is held out, diversity, and the
mass of those words, by probability, by relevance .6 (Sievert and Shirley 2014, made here) and by tlv_topic_items' distinctive
order.  AP ships with the repository, the newsgroups are looked for in TLV_SHARED_DATA, manual pages are the machine's.
--corpora=ap:20,ap:50,news:20,man:20,fr:20: of each the number of topics."""
import os
from common import Session, machine, np, table, topics_of
from common_topics import given, npmi, triples
from corpora import counts, manual

NEWS = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'newsgroups20-train')
CORPORA = given('corpora', 'ap:20,ap:50' + (',news:20' if os.path.exists(NEWS) else '') + ',man:20,fr:20')
TOP = 10


def corpus(name):
    """documents x words; words of five documents or more and of half of them at most"""
    import scipy.sparse as sp
    if name in ('ap', 'news'):
        C = triples('examples/ap' if name == 'ap' else NEWS)
    else:
        i, j, n = np.array(counts(manual('man1', 'man8') if name == 'man' else manual('fr/man1', 'fr/man5', 'fr/man8'), 5, .5)).T
        C = sp.csr_matrix((n, (i, j)))
    frequency = np.asarray((C > 0).sum(0)).ravel()
    C = C[:, (frequency >= 5) & (frequency <= .5 * C.shape[0])]
    C = C[np.asarray(C.sum(1)).ravel() >= 3]
    order = np.random.default_rng(20261122).permutation(C.shape[0])
    return C[order[C.shape[0] // 5:]], C[order[:C.shape[0] // 5]]


def figures(tops, B, C, T):
    words = [w for t in tops for w in t]
    return [npmi(tops, C), npmi(tops, T), len(set(words)) / len(words), float(np.mean([B[t, j].sum() for j, t in enumerate(tops)]))]


rows = []
for name in CORPORA.split(','):
    name, k = name.split(':')
    C, T = corpus(name)
    m = C.tocoo()
    s = Session(max_parallel_workers_per_gather=0)
    if not rows:
        machine(s)
    s.copy('words', 'doc item n', [m.row, m.col, m.data])
    s.query(f"CREATE TEMP TABLE m AS SELECT tlv_lda('SELECT doc, item, n FROM words', k => {k}) AS model")
    B = topics_of(s, 'SELECT model FROM m', C.shape[1])
    share = np.asarray(C.sum(0)).ravel() / C.sum()
    first = np.array(s.query(f'SELECT topic, item FROM m, tlv_topic_items(model, {TOP}) ORDER BY topic, rank'), int)
    with np.errstate(divide='ignore', invalid='ignore'):
        relevance = np.where(B > 0, .6 * np.log(B) + .4 * np.log(B / share[:, None]), -np.inf)
    orders = {'probability': [np.argsort(-b, kind='stable')[:TOP].tolist() for b in B.T],
              'relevance .6': [np.argsort(-r, kind='stable')[:TOP].tolist() for r in relevance.T],
              'distinctive': [first[first[:, 0] == j + 1, 1].tolist() for j in range(int(k))]}
    rows += [[f'{name} {k}', order] + figures(tops, B, C, T) for order, tops in orders.items()]
    s.query('DROP TABLE words')
    s.close()
for order in ('probability', 'relevance .6', 'distinctive'):
    rows.append(['mean', order] + np.mean([r[2:] for r in rows if r[1] == order], 0).tolist())
table('The ten first words of topics', ['corpus, k', 'order', 'NPMI', 'held out', 'diversity', 'mass'], rows)
