// audit(): what an accessibility checker would object to on this page, as a list of strings: names and roles of what can be used, structure, contrast.
// No library: the rules are those of WCAG 2.1 that can be computed (1.1.1, 1.3.1, 1.4.3, 2.4.6, 4.1.1, 4.1.2).
const audit = function () {
  const found = [];
  const shown = (e) => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0 && getComputedStyle(e).visibility !== 'hidden'; };
  const about = (e) => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + (e.getAttribute('class') ? '.' + e.getAttribute('class').split(' ').join('.') : '');
  // ---- names and roles
  const roles = ['button', 'group', 'img', 'note', 'region', 'search', 'status'];
  const name = (e) => {
    const by = (e.getAttribute('aria-labelledby') || '').split(' ').map((i) => (document.getElementById(i) || {}).textContent || '').join('');
    const label = e.labels && e.labels.length > 0 ? [...e.labels].map((l) => l.textContent).join('') : '';
    return (by || e.getAttribute('aria-label') || label || (['INPUT', 'SELECT'].includes(e.tagName) ? '' : e.textContent) || e.getAttribute('title') || '').trim();
  };
  const usable = 'button, input, select, textarea, a[href], summary, [tabindex]';
  document.querySelectorAll(usable + ', [role=img], [role=group], [role=region]').forEach((e) => {
    if (shown(e) && name(e) === '') { found.push(about(e) + ': no name'); }
  });
  document.querySelectorAll('[role]').forEach((e) => { if (!roles.includes(e.getAttribute('role'))) { found.push('role ' + e.getAttribute('role')); } });
  document.querySelectorAll('[role=img] [tabindex], [role=img] button').forEach((e) => found.push(about(e) + ': in an image'));
  document.querySelectorAll('[aria-hidden=true]').forEach((e) => {
    if ([e, ...e.querySelectorAll(usable)].some((x) => x.matches(usable) && x.tabIndex >= 0)) { found.push(about(e) + ': hidden, but has the focus'); }
  });
  document.querySelectorAll('[tabindex]').forEach((e) => { if (Number(e.getAttribute('tabindex')) > 0) { found.push(about(e) + ': an order of its own'); } });
  // ---- structure
  const ids = new Set();
  document.querySelectorAll('[id]').forEach((e) => {
    if (ids.has(e.id)) { found.push('id ' + e.id + ' twice'); }
    ids.add(e.id);
  });
  document.querySelectorAll('[aria-describedby]').forEach((e) => { if (!ids.has(e.getAttribute('aria-describedby'))) { found.push(about(e) + ': described by nothing'); } });
  if (!document.documentElement.lang) { found.push('no language'); }
  if (!document.title) { found.push('no title'); }
  let level = 0;
  document.querySelectorAll('h1, h2, h3, h4, h5, h6').forEach((e) => {
    if (!shown(e)) { return; }
    const own = Number(e.tagName.charAt(1));
    if (own > level + 1) { found.push('heading ' + e.textContent + ' of level ' + own + ' below ' + level); }
    level = own;
  });
  document.querySelectorAll('table').forEach((e) => { if (shown(e) && e.querySelector('thead') && !e.querySelector('th[scope=col]')) { found.push(about(e) + ': no heads'); } });
  document.querySelectorAll('ul, ol').forEach((e) => { if ([...e.children].some((c) => c.tagName !== 'LI')) { found.push(about(e) + ': not only items'); } });
  document.querySelectorAll('.scroll').forEach((e) => { if (shown(e) && e.scrollHeight > e.clientHeight + 1 && e.tabIndex < 0) { found.push(about(e) + ': cannot be scrolled by keyboard'); } });
  // ---- contrast
  const colour = (text) => {
    const n = (text.match(/-?[\d.]+(e-?\d+)?/g) || []).map(Number);
    if (text.startsWith('color(')) { return [255 * n[0], 255 * n[1], 255 * n[2], n.length > 3 ? n[3] : 1]; }
    return text.startsWith('rgb') ? [n[0], n[1], n[2], n.length > 3 ? n[3] : 1] : [0, 0, 0, 0];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[3] * top[i] + (1 - top[3]) * below[i]).concat(1);
  const ground = (e) => {
    const layers = [];
    for (let x = e; x; x = x.parentElement) {
      if (!(x instanceof SVGElement)) { layers.push(colour(getComputedStyle(x).backgroundColor)); }
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((s, w, i) => {
    const v = c[i] / 255;
    return s + w * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0);
  const ratio = (a, b) => { const x = luminance(a), y = luminance(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const done = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (walker.currentNode.textContent.trim() === '' || !shown(e) || e.closest('script, style, .live, title, option') || e.disabled) { continue; }
    const style = getComputedStyle(e), svg = e instanceof SVGElement;
    let below = ground(e);
    // A text of a drawing has an outline in the colour of the page, or lies on the circle that is chosen.
    if (svg && style.stroke !== 'none') { below = over(colour(style.stroke), below); }
    if (svg && e.classList.contains('no') && e.classList.contains('on')) {
      const circle = e.ownerSVGElement.querySelector('.node.on');
      if (circle) { below = over(colour(getComputedStyle(circle).fill), below); }
    }
    const text = over(colour(svg ? style.fill : style.color), below), size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const x = ratio(text, below), key = about(e) + style.color + below.join();
    if (x < (large ? 3 : 4.5) && !done.has(key)) {
      done.add(key);
      found.push('contrast ' + x.toFixed(2) + ' of ' + about(e) + ' ' + walker.currentNode.textContent.trim().slice(0, 40));
    }
  }
  return found;
};
