"""Sentences as vectors by templates over coordinates of words (Huang 2016, section 4.6), of functions that are there: classes of contexts from
tlv_lda for coordinates, a template for each by tlv_convolution, the largest activations of each; beside bags of words (TF-IDF), bags of
two successive words, bags of topics, and means of the same coordinates, with the same classifier.

The set: 2,001 sentences of the English Web Treebank (Universal Dependencies, development part).  The task: is it a question?  The
question mark, by which that is known, is taken away, and with it all other punctuation.  Ten folds, logistic regression; AUC and F1."""
import os, sys, warnings
from common import Session, np, table

warnings.filterwarnings('ignore')
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSES, LENGTH, POOL = 12, 4, 2
for option in sys.argv[1:]:
    if option.startswith('--classes='):
        CLASSES = int(option[10:])
    elif option.startswith('--length='):
        LENGTH = int(option[9:])
    elif option.startswith('--pool='):
        POOL = int(option[7:])
    else:
        sys.exit('options: --classes=12, --length=4, --pool=2')

source = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'ud-english-ewt-dev', 'tokens.csv.gz')
if not os.path.exists(source):
    sys.exit(f'{source} is not here: the English Web Treebank is not part of tensorlv')

server = Session()
seconds = 0.0


def make(sql):
    global seconds
    seconds += server.cost(sql)[1].cpu


server.query('DROP TABLE IF EXISTS raw, words, sentences, contexts, context_models, coordinates, embedded CASCADE')
server.query('CREATE TABLE raw (sentence bigint, pos int, form text, lemma text, upos text, xpos text)')
server.query(f"\\copy raw FROM PROGRAM 'gzip -dc {source}' WITH (FORMAT csv, HEADER)")
server.query('''CREATE TABLE sentences AS SELECT sentence, bool_or(form ~ '^[?]+!*$') AS question FROM raw GROUP BY sentence HAVING count(*) FILTER (WHERE upos NOT IN ('PUNCT', 'SYM')) >= 3''')
server.query('''CREATE TABLE words AS SELECT sentence, row_number() OVER (PARTITION BY sentence ORDER BY pos) AS t, lower(form) AS word
    FROM raw JOIN sentences USING (sentence) WHERE upos NOT IN ('PUNCT', 'SYM')''')
server.query('ANALYZE words')
# What stands before a word and behind it is its context: documents, one for each word; <s> and </s> are the ends of the sentence.
make('''CREATE TABLE contexts AS
    WITH around AS (SELECT word, coalesce(lag(word) OVER s, '<s>') AS before, coalesce(lead(word) OVER s, '</s>') AS behind FROM words WINDOW s AS (PARTITION BY sentence ORDER BY t))
    SELECT word, tlv_bag_agg(side) AS context FROM around, LATERAL (VALUES ('b ' || before), ('a ' || behind)) AS v(side) GROUP BY word''')
make(f"CREATE TABLE context_models AS SELECT tlv_lda('SELECT context FROM contexts', {CLASSES}) AS model")
make('CREATE TABLE coordinates AS SELECT word, tlv_infer(model, context) AS x FROM contexts, context_models')
make('''CREATE TABLE embedded AS
    SELECT sentence, c AS coordinate, array_agg(share ORDER BY t) AS series FROM words JOIN coordinates USING (word), unnest(x) WITH ORDINALITY AS u(share, c) GROUP BY sentence, c''')
make(f'''CREATE TABLE templates AS SELECT coordinate, tlv_fit_convolution(tlv_series_moments(series, {LENGTH}), 1, on_failure => 'null') AS model FROM embedded GROUP BY coordinate'''
     if server.query('DROP TABLE IF EXISTS templates') == [] else '')
before = seconds
make(f'''CREATE TABLE pooled AS SELECT sentence, coordinate, rank, activation FROM (
    SELECT sentence, coordinate, activation, row_number() OVER (PARTITION BY sentence, coordinate ORDER BY activation DESC) AS rank
    FROM embedded JOIN templates USING (coordinate), tlv_template_scores(model, series)) AS a WHERE rank <= {POOL}'''
     if server.query('DROP TABLE IF EXISTS pooled') == [] else '')

ids = [int(s) for (s,) in server.query('SELECT sentence FROM sentences ORDER BY 1')]
place = {s: i for i, s in enumerate(ids)}
y = np.array([q == 't' for (q,) in server.query('SELECT question FROM sentences ORDER BY sentence')])
texts = [t for (t,) in server.query("SELECT string_agg(word, ' ' ORDER BY t) FROM words GROUP BY sentence ORDER BY sentence")]


def matrix(sql, width):
    m = np.zeros((len(ids), width))
    for s, j, v in server.query(sql):
        m[place[int(s)], int(j)] = float(v)
    return m


mean = matrix('SELECT sentence, coordinate - 1, (SELECT avg(v) FROM unnest(series) v) FROM embedded', CLASSES)
pooled = matrix(f'SELECT sentence, (coordinate - 1) * {POOL} + rank - 1, activation FROM pooled', CLASSES * POOL)
first = matrix('SELECT sentence, (t - 1) * %d + c - 1, share FROM words JOIN coordinates USING (word), unnest(x) WITH ORDINALITY AS u(share, c) WHERE t <= 2' % CLASSES, 2 * CLASSES)
make("CREATE TABLE topic_models AS SELECT tlv_lda('SELECT sentence, word FROM words', 12) AS model" if server.query('DROP TABLE IF EXISTS topic_models') == [] else '')
topics = matrix('''SELECT sentence, t - 1, share FROM (SELECT sentence, tlv_infer(model, tlv_bag_agg(word)) AS h FROM words, topic_models GROUP BY sentence, model) AS q,
    unnest(h) WITH ORDINALITY AS u(share, t)''', 12)


def judge(features, sparse=False):
    scores = np.zeros(len(y))
    for fit, held in StratifiedKFold(10, shuffle=True, random_state=1).split(texts, y):
        if callable(features):
            f = features()
            a, b = f.fit_transform([texts[i] for i in fit]), f.transform([texts[i] for i in held])
            model = LogisticRegression(C=10, class_weight='balanced', max_iter=2000)
        else:
            a, b = features[fit], features[held]
            model = make_pipeline(StandardScaler(), LogisticRegression(C=1, class_weight='balanced', max_iter=2000))
        scores[held] = model.fit(a, y[fit]).decision_function(b)
    return [f'{roc_auc_score(y, scores):.3f}', f'{f1_score(y, scores > 0):.3f}']


fitted = int(server.value('SELECT count(model) FROM templates'))
print(f'{len(ids)} sentences, {y.sum()} questions; {fitted} of {CLASSES} coordinates have templates; coordinates, templates and activations {seconds:.2f} CPU s')
table('Is it a question?', ['features', 'numbers', 'AUC', 'F1'], [
    ['words, TF-IDF', 'words', *judge(lambda: TfidfVectorizer(token_pattern=r'\S+', sublinear_tf=True))],
    ['words and pairs of words, TF-IDF', 'words', *judge(lambda: TfidfVectorizer(token_pattern=r'\S+', sublinear_tf=True, ngram_range=(1, 2)))],
    ['shares of 12 topics of sentences', 12, *judge(topics)],
    ['means of the coordinates', CLASSES, *judge(mean)],
    [f'templates of {LENGTH} words, {POOL} largest activations', CLASSES * POOL, *judge(pooled)],
    ['means and templates', CLASSES * (1 + POOL), *judge(np.hstack([mean, pooled]))],
    ['coordinates of the first two words', CLASSES * 2, *judge(first)]])
