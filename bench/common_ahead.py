"""Shared by the parts of ahead.py: options, processor seconds to the microsecond, and cells that are marked ** where ours is behind."""
import sys, time
from common import np

OPTIONS = dict((a.lstrip('-').split('=', 1) + [''])[:2] for a in sys.argv[1:])
FIRST = int(OPTIONS.get('first', 7001))   # seeds of what is reported; rules are found on others
ITERATIVE = .1   # of an iterative peer's time may be taken


def seeds(usual):
    return range(FIRST, FIRST + int(OPTIONS.get('seeds', usual)))


def wanted(name):
    """whether a line is to be run: --lines=REGEX"""
    import re
    return re.search(OPTIONS.get('lines', ''), name) is not None


def seconds_of(s, sql):
    """processor seconds of the backend, to the microsecond"""
    def clock():
        return int(open(f'/proc/{s.pid}/schedstat').read().split()[0]) / 1e9
    start = clock()
    s.query(sql)
    return clock() - start


def timed(run):
    """what a function of a peer returns, and its processor seconds"""
    start = time.process_time()
    answer = run()
    return answer, time.process_time() - start


def cell(own, others, enough, digits=3, least=False):
    """own as text, marked where the best of the others is better by more than enough (least: small is good)"""
    others = [o for o in others if o is not None and not np.isnan(o)]
    behind = others and ((own - min(others)) if least else (max(others) - own)) > enough
    return f'**{own:.{digits}f}**' if behind else f'{own:.{digits}f}'


def cpu_cell(own, peer, times=1., more=0.):
    """own processor seconds as text, marked where they are above so many times the peer's and more seconds"""
    text = f'{own:.3g}'
    return f'**{text}**' if peer is not None and own > times * peer + more else text


def other(value, digits=3):
    return '' if value is None else f'{value:.{digits}f}'


def add(rows, row):
    """the row behind the others; printed at once with --verbose"""
    rows.append(row)
    if 'verbose' in OPTIONS:
        print(*row, sep=' | ', flush=True)


def mean(values):
    return float(np.mean(values)) if len(values) else None
