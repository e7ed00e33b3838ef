"""Corpora of the benchmarks, made from what a Debian machine has: manual pages, changelogs and descriptions of packages,
all by one tokenizer.  TUNING may be looked at while a rule is made; figures are reported for REPORTED, and no corpus is in both."""
import glob, gzip, os, re, subprocess
from collections import Counter

WORDS = re.compile(r"[^\W\d_]{3,}")


def manual(*folders, most=8000, only=None):
    """the words of manual pages below /usr/share/man, without requests, fonts and copies"""
    pages = {}
    for folder in folders:
        for name in sorted(glob.glob(f'/usr/share/man/{folder}/*.gz')):
            if only and not re.search(only, os.path.basename(name)):
                continue
            text = gzip.open(name, 'rt', errors='replace').read()
            if text.startswith('.so') or len(text) < 400:
                continue
            text = re.sub(r'^\.\\".*$|^\.(?:de|ie|el|if|ds|nr|tr|rm|ta|nh|ad|TH|Dd).*$', '', text, flags=re.M)
            text = re.sub(r'\\f[A-Z(]{1,2}|\\f?\[.*?\]|\\[&|/-]|\\\(..|\\\*\([A-Z"]{2}|\\s[-+]?\d', '', text)
            pages.setdefault(re.sub(r'^\.[A-Za-z]+', '', text, flags=re.M)[:most])
    return list(pages)


def changelogs(first, last):
    """entries of the changelogs of packages whose names begin with these letters"""
    entries = {}
    for name in sorted(glob.glob('/usr/share/doc/*/changelog.Debian.gz')):
        if first <= name.split('/')[4][0] <= last:
            for entry in re.split(r'^ -- .*$', gzip.open(name, 'rt', errors='replace').read(), flags=re.M)[:10]:
                entries.setdefault(re.sub(r'\[.*?\]|<.*?>|Closes:.*|LP:.*', '', '\n'.join(entry.split('\n')[2:])))
    return list(entries)


def descriptions(section):
    """short descriptions of the packages of a section"""
    texts = {}
    shown = subprocess.run(['apt-cache', 'dumpavail'], capture_output=True, text=True).stdout
    for stanza in shown.split('\n\n'):
        of = re.search(r'^Section: (?:\w+/)?(\S+)', stanza, re.M)
        text = re.search(r'^Description(?:-en)?: (.*)', stanza, re.M)
        if of and text and re.fullmatch(section, of[1]):
            texts.setdefault(text[1])
    return list(texts)


# Seeds of simulated data, which are divided in the same way: those of tuning are 1 to 200.
REPORTED_SEEDS = range(1001, 1201)

TUNING = {
    'manual, section 2': lambda: manual('man2'),
    'manual, section 7, Linux': lambda: manual('man7', only=r'\.7\.gz$'),
    'git manual': lambda: manual('man1', 'man5', 'man7', only='^git'),
    'changelogs, a to k': lambda: changelogs('a', 'k'),
    'descriptions, short: utils': lambda: descriptions('utils|admin'),
}
REPORTED = {
    'manual, section 3, library': lambda: manual('man3', only=r'\.3(?:const|type|head)?\.gz$')[:1200],
    'manual, section 8': lambda: manual('man8'),
    'manual, section 5': lambda: manual('man5', only='^(?!git)'),
    'German manual': lambda: manual('de/man1', 'de/man5', 'de/man8', 'de/man7'),
    'French manual': lambda: manual('fr/man1', 'fr/man5', 'fr/man8', 'fr/man7'),
    'Swedish manual': lambda: manual('sv/man1', 'sv/man5', 'sv/man8'),
    'changelogs, l to z': lambda: changelogs('l', 'z'),
    'Perl and terminal libraries': lambda: manual('man3', only=r'\.3(?:perl|pm|t|readline)\.gz$'),
    'descriptions, short: science': lambda: descriptions('science|math'),
    'descriptions, short: games': lambda: descriptions('games|education'),
    'descriptions, short: network': lambda: descriptions('net|web|mail'),
    'descriptions, short: graphics': lambda: descriptions('graphics|sound|video'),
}


def counts(documents, least=3, most=.3):
    """(document, word, count): words of three letters and more, in `least` documents and in a part of them, `most`, at most"""
    words = [WORDS.findall(d.lower()) for d in documents]
    frequency = Counter(w for d in words for w in set(d))
    known = sorted(w for w, n in frequency.items() if least <= n <= most * len(words))
    place = {w: i for i, w in enumerate(known)}
    return [(i, place[w], n) for i, d in enumerate(words) for w, n in Counter(w for w in d if w in place).items()]
