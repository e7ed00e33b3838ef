"""Topics of the Associated Press (examples/ap) and of two corpora of the machine's packages: perplexity of new words of held-out
documents, NPMI and diversity of the ten first words, in the distinctive order for all, and CPU s of tlv_lda beside 1,000 sweeps of
tomotopy (eta .1, and alpha estimated as it does by default).  --seeds of the split."""
import corpora
from common import Session, in_child, np, perplexity, table, topics_of
from common_ahead import ITERATIVE, add, cell, cpu_cell, other, seconds_of, seeds, wanted
from common_topics import ALPHA, distinctive, npmi, tomotopy_chain, triples

TOP, SWEEPS, ETA = 10, 1000, .1
ENOUGH, NPMI, DIVERSE = .002, .02, .85   # part of the peer's perplexity; NPMI; diversity that is asked for
LINES = (('Associated Press', 20), ('manual, section 8', 20), ('changelogs, l to z', 20), ('Associated Press', 50), ('changelogs, l to z', 50))


def documents(name):
    """documents x words; words of five documents or more and of half of them at most"""
    import scipy.sparse as sp
    if name == 'Associated Press':
        C = triples('examples/ap')
        frequency = np.asarray((C > 0).sum(0)).ravel()
        C = C[:, (frequency >= 5) & (frequency <= .5 * C.shape[0])]
    else:
        i, j, n = np.array(corpora.counts(corpora.REPORTED[name](), 5, .5)).T
        C = sp.csr_matrix((n, (i, j)))
    return C[np.asarray(C.sum(1)).ravel() >= 6].tocsr()


def scores(B, C, T):
    """perplexity of new words, NPMI, diversity"""
    tops = np.argsort(-distinctive(B, C), axis=0, kind='stable')[:TOP].T
    return perplexity(B, ALPHA, T, new_words=True), npmi(tops.tolist(), C), len(set(tops.ravel())) / tops.size


def ours(C, k):
    """topics and CPU seconds, of a session of its own"""
    s, m = Session(max_parallel_workers_per_gather=0), C.tocoo()
    s.copy('words', 'doc item n', [m.row, m.col, m.data])
    s.query("SELECT tlv_lda('SELECT 1 AS doc, 1 AS item WHERE false', 2, on_failure => 'null')")   # loads the library
    cpu = seconds_of(s, f"CREATE TEMP TABLE m AS SELECT tlv_lda('SELECT doc, item, n FROM words', k => {k}) AS model")
    B = topics_of(s, 'SELECT model FROM m', C.shape[1], np.asarray(C.sum(0)).ravel() > 0)
    s.query('DROP TABLE words')
    s.close()
    return B, cpu


def topics(_):
    rows = []
    for name, k in LINES:
        if not wanted(f'{name} {k}'):
            continue
        whole, us, them = documents(name), [], []
        for seed in seeds(1):
            order = np.random.default_rng(seed).permutation(whole.shape[0])
            C, T = whole[order[whole.shape[0] // 5:]], whole[order[:whole.shape[0] // 5]]
            B, cpu = ours(C, k)
            us.append((*scores(B, C, T), cpu))
            answer = in_child(tomotopy_chain, C.tocsr(), k, ALPHA, ETA, (SWEEPS,))
            if answer:
                them.append((*scores(answer[0][0], C, T), answer[0][1]))
        own, peer = np.mean(us, 0), np.mean(them, 0) if them else [None] * 4
        add(rows, [name, k, C.shape[0], C.shape[1], cell(own[0], peer[:1], ENOUGH * own[0], 1, least=True), other(peer[0], 1), cell(own[1], peer[1:2], NPMI),
                   other(peer[1]), cell(own[2], [DIVERSE], 0), other(peer[2]), cpu_cell(own[3], peer[3], ITERATIVE), other(peer[3], 2)])
    table(f"tlv_lda, k given; bar: tomotopy's perplexity and NPMI, a diversity of {DIVERSE}, a tenth of the CPU s of tomotopy's {SWEEPS} sweeps",
          ['', 'k', 'documents', 'words', 'perplexity', 'tomotopy', 'NPMI', 'tomotopy', 'diversity', 'tomotopy', 'CPU s', 'tomotopy'], rows)
