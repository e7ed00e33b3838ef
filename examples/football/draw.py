#!/usr/bin/env python3
"""Draws a graph whose nodes are pies of their memberships: JSON in, SVG out.

    psql -X -At -f examples/football/draw.sql | python3 examples/football/draw.py > football.svg

Input: {"nodes": [{"id", "name", "group", "shares": [...]}], "edges": [[id, id]]};
nodes of group null are ringed and labelled by name, groups as a whole.
Where a node stands follows from the edges alone, its colours from the shares
alone: edges attract with the same force at every distance, nodes repel each
other with one over it (LinLog; A. Noack, Energy models for graph clustering,
2007), a spring layout that draws dense groups apart.  Needs nothing beside
Python; the same input gives the same picture.
"""
import json
import math
import sys
from xml.sax.saxutils import escape

COLOURS = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7",
           "#a463f2", "#97bbf5", "#9c6b4e", "#7f7f7f", "#c7d12e", "#e0529c"]
WIDTH, HEIGHT, MARGIN = 900, 760, 70
RADIUS = 9.5
ROOM = (22, 32, 46)  # between centres, by how many of both nodes have a name of their own
STEPS = 1500
LEAST_SHARE = 0.03


def layout(nodes, edges):
    """Positions by steepest descent with a step that shrinks, from a spiral."""
    n = len(nodes)
    x = [math.sqrt(i + 1) * math.cos(2.4 * i) for i in range(n)]
    y = [math.sqrt(i + 1) * math.sin(2.4 * i) for i in range(n)]
    degree = [0] * n
    for a, b in edges:
        degree[a] += 1
        degree[b] += 1
    mean = sum(degree) / n
    for step in range(STEPS):
        fx, fy = [-0.05 * v for v in x], [-0.05 * v for v in y]
        for i in range(n):
            for j in range(i):
                dx, dy = x[i] - x[j], y[i] - y[j]
                force = degree[i] * degree[j] / mean / n / (dx * dx + dy * dy + 0.01)
                fx[i] += force * dx
                fy[i] += force * dy
                fx[j] -= force * dx
                fy[j] -= force * dy
        for a, b in edges:
            dx, dy = x[a] - x[b], y[a] - y[b]
            force = 0.25 / math.sqrt(dx * dx + dy * dy + 0.01)
            fx[a] -= force * dx
            fy[a] -= force * dy
            fx[b] += force * dx
            fy[b] += force * dy
        reach = 0.6 * (1 - step / STEPS) + 0.002
        for i in range(n):
            length = math.hypot(fx[i], fy[i]) + 1e-9
            move = min(reach, 0.3 * length) / length
            x[i] += move * fx[i]
            y[i] += move * fy[i]
    return x, y


def to_page(nodes, x, y):
    """Positions in pixels, pushed apart until nodes, and names of nodes, do not overlap."""
    scale = min((WIDTH - 2 * MARGIN) / (max(x) - min(x)), (HEIGHT - 2 * MARGIN) / (max(y) - min(y)))
    left = (WIDTH - scale * (max(x) + min(x))) / 2
    top = (HEIGHT - scale * (max(y) + min(y))) / 2
    x, y = [left + scale * v for v in x], [top + scale * v for v in y]
    for _ in range(300):
        for i in range(len(x)):
            for j in range(i):
                dx, dy = x[i] - x[j], y[i] - y[j]
                gap = math.hypot(dx, dy) + 1e-9
                alone = (nodes[i]["group"] is None) + (nodes[j]["group"] is None)
                push = (ROOM[alone] - gap) / 2 / gap
                if push > 0:
                    x[i] += push * dx
                    y[i] += push * dy
                    x[j] -= push * dx
                    y[j] -= push * dy
    return x, y


def pie(x, y, shares):
    """One slice for every share that can be seen."""
    kept = [(c, s) for c, s in enumerate(shares) if s >= LEAST_SHARE]
    total = sum(s for _, s in kept)
    if len(kept) == 1:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{COLOURS[kept[0][0]]}"/>'
    parts, at = [], -math.pi / 2
    for c, s in sorted(kept, key=lambda slice_: -slice_[1]):
        end = at + 2 * math.pi * s / total
        parts.append(f'<path d="M{x:.1f} {y:.1f}L{x + RADIUS * math.cos(at):.1f} '
                     f'{y + RADIUS * math.sin(at):.1f}A{RADIUS} {RADIUS} 0 {int(s > total / 2)} 1 '
                     f'{x + RADIUS * math.cos(end):.1f} {y + RADIUS * math.sin(end):.1f}Z" '
                     f'fill="{COLOURS[c]}"/>')
        at = end
    return "".join(parts)


def group_label(name, members, x, y):
    """The group's name above or below it, where fewer other nodes are in the way."""
    cx = sum(x[i] for i in members) / len(members)
    above = min(y[i] for i in members) - RADIUS - 7
    below = max(y[i] for i in members) + RADIUS + 17

    def in_the_way(at):
        return sum(abs(x[i] - cx) < 90 and abs(y[i] - at) < 25 for i in range(len(x)) if i not in members)

    outward = (above, below) if sum(y[i] for i in members) < HEIGHT / 2 * len(members) else (below, above)
    at = min(outward, key=in_the_way)
    return f'<text class="group" x="{cx:.1f}" y="{at:.1f}">{escape(name)}</text>'


def node_label(name, x, y):
    return f'<text class="node" x="{x + RADIUS + 6:.1f}" y="{y + 4:.1f}">{escape(name)}</text>'


def draw(nodes, edges, x, y):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif">',
           "<style>text{paint-order:stroke;stroke:#fff;stroke-width:4px;"
           "stroke-linejoin:round}.group{text-anchor:middle;font-size:17px;font-weight:bold;fill:#222}"
           ".node{font-size:13px;fill:#222}</style>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           '<g stroke="#555" stroke-opacity=".22" stroke-width="1">']
    out += [f'<path d="M{x[a]:.1f} {y[a]:.1f}L{x[b]:.1f} {y[b]:.1f}"/>' for a, b in edges]
    out.append('</g><g stroke="#fff" stroke-width=".8">')
    out += [f'<g><title>{escape(node["name"])}, {escape(node["group"] or "on its own")}</title>'
            f'{pie(x[i], y[i], node["shares"])}</g>' for i, node in enumerate(nodes)]
    out.append("</g>")
    groups = {}
    for i, node in enumerate(nodes):
        groups.setdefault(node["group"], []).append(i)
    alone = groups.pop(None, [])
    out += [f'<circle cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="{RADIUS + 1.5}" fill="none" '
            'stroke="#222" stroke-width="1.6"/>' for i in alone]
    out += [group_label(name, members, x, y) for name, members in sorted(groups.items())]
    out += [node_label(nodes[i]["name"], x[i], y[i]) for i in alone]
    out.append("</svg>")
    return "\n".join(out)


def main():
    graph = json.load(sys.stdin)
    nodes = graph["nodes"]
    place = {node["id"]: i for i, node in enumerate(nodes)}
    edges = [(place[a], place[b]) for a, b in graph["edges"]]
    print(draw(nodes, edges, *to_page(nodes, *layout(nodes, edges))))


if __name__ == "__main__":
    main()
