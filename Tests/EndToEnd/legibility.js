// Run in the page by legibility.py: what text and controls there are, and how they stand out from what is behind them.
(() => {
  // A word is judged by what stands behind it on the screen, so these are not: gone in a moment, or only read out.
  const passing = 'ov-danmu, ov-toasts, .skeleton, [inert] *';
  const onlyRead = style => style.clipPath === 'inset(50%)';
  // Shown again elsewhere in full: the peek into the chat fades its older lines out on purpose.
  const fading = '.chat-peek';
  const textual = element => element.closest(passing) === null;

  /** The part of the box that no ancestor cuts off and that lies in the window. */
  function visible(box, element) {
    let { left, top, right, bottom } = box;
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.visibility === 'hidden' || style.opacity === '0' || onlyRead(style)) return null;
      if (at !== element && style.overflow !== 'visible') {
        const clip = at.getBoundingClientRect();
        [left, top, right, bottom] = [
          Math.max(left, clip.left), Math.max(top, clip.top), Math.min(right, clip.right), Math.min(bottom, clip.bottom),
        ];
      }
      if (style.position === 'fixed' || at.matches(':modal')) break;
    }
    [left, top, right, bottom] = [
      Math.max(0, left), Math.max(0, top), Math.min(innerWidth, right), Math.min(innerHeight, bottom),
    ];
    return right - left < 2 || bottom - top < 2 ? null : { left, top, right, bottom };
  }

  /** Whether the middle of the box shows this element, and nothing that lies over it. */
  function uncovered(box, element) {
    const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (!hit) return false;
    return hit === element || element.contains(hit) || hit.contains(element) || hit.closest('a, button, label') === element.closest('a, button, label, div');
  }

  const exempt = element => element.closest(':disabled, [aria-disabled="true"], [aria-busy="true"]') !== null;
  const name = element => {
    const own = element.closest('[data-testid]')?.dataset.testid;
    const classes = [element, element.parentElement].map(e => e?.getAttribute('class') || e?.localName).reverse().join(' > ');
    return own ? `[${own}] ${classes}` : classes;
  };

  function opacity(element) {
    let all = 1;
    for (let at = element; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
    return all;
  }

  const painter = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  /** Any CSS colour as red, green, blue, 0…255, and alpha, 0…1. */
  function rgba(colour) {
    painter.clearRect(0, 0, 1, 1);
    painter.fillStyle = colour;
    painter.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = painter.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }

  function* textNodes() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.data.trim() && textual(node.parentElement)) yield node;
    }
  }

  // Above and below the letters the font's own box has room, this part of its height on each side.
  const headroom = 0.15;

  function boxes(node) {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()]
      .filter(box => box.width > 0 && box.height > 0)
      .map(({ left, right, top, bottom }) => {
        const spare = (bottom - top) * headroom;
        return { left, right, top: top + spare, bottom: bottom - spare };
      });
  }

  const modal = () => [...document.querySelectorAll(':modal')].at(-1);

  /** What must stand out: words (4.5:1, large ones 3:1), signs and the outlines of controls (3:1). */
  function collect() {
    const found = [];
    const within = modal() ?? document.body;
    for (const node of textNodes()) {
      const element = node.parentElement;
      if (!within.contains(element) || exempt(element) || element.closest(fading)) continue;
      const style = getComputedStyle(element);
      const size = Number.parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      // Two letters of a name that stands beside them: a picture, not words.
      const picture = element.closest('ov-avatar, ov-cover') !== null;
      for (const box of boxes(node)) {
        const seen = visible(box, element);
        if (!seen || !uncovered(seen, element)) continue;
        found.push({ kind: 'text', box: seen, colour: rgba(style.color), opacity: opacity(element), least: large || picture ? 3 : 4.5,
          what: `“${node.data.trim().slice(0, 30)}” ${name(element)}` });
        break;
      }
    }
    for (const element of within.querySelectorAll('input[placeholder], textarea[placeholder]')) {
      if (element.value || exempt(element)) continue;
      const seen = visible(element.getBoundingClientRect(), element);
      if (!seen || !uncovered(seen, element)) continue;
      const inset = { left: seen.left + 8, top: seen.top + 8, right: seen.right - 8, bottom: seen.bottom - 8 };
      found.push({ kind: 'text', box: inset, colour: rgba(getComputedStyle(element, '::placeholder').color), opacity: opacity(element), least: 4.5,
        what: `placeholder “${element.placeholder}”` });
    }
    for (const element of within.querySelectorAll('svg.icon')) {
      if (!textual(element) || exempt(element)) continue;
      const seen = visible(element.getBoundingClientRect(), element);
      if (!seen || !uncovered(seen, element)) continue;
      found.push({ kind: 'sign', box: seen, colour: rgba(getComputedStyle(element).color), opacity: opacity(element), least: 3,
        what: `sign ${element.querySelector('use')?.getAttribute('href')?.split('#')[1]} in ${name(element)}` });
    }
    const controls = new Set();
    for (const element of within.querySelectorAll('input, select, textarea, .seat-empty')) {
      // Where a frame is drawn around a field, the frame is the control's outline.
      const frame = element.parentElement.matches('label') && Number.parseFloat(getComputedStyle(element.parentElement).borderTopWidth) > 0;
      controls.add(frame ? element.parentElement : element);
    }
    for (const element of controls) {
      const box = element.getBoundingClientRect();
      const seen = visible(box, element);
      if (!seen || exempt(element) || !uncovered(seen, element) || seen.right - seen.left < box.width - 1 || seen.bottom - seen.top < box.height - 1) continue;
      found.push({ kind: 'control', box: seen, least: 3, what: `outline of ${name(element)}` });
    }
    return found;
  }

  // -webkit-text-fill-color takes the letters away and leaves what else follows the colour.
  const hiding = '*, *::placeholder { -webkit-text-fill-color: transparent !important; text-shadow: none !important; caret-color: transparent !important }'
    + ' svg.icon use { visibility: hidden !important }';

  function hide() {
    const style = new CSSStyleSheet();
    style.replaceSync(hiding);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
  }

  function unhide() {
    document.adoptedStyleSheets = document.adoptedStyleSheets.slice(0, -1);
  }

  const channel = value => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const table = Float64Array.from({ length: 256 }, (_, value) => channel(value));
  /** Relative luminance (WCAG 2.2). */
  const luminance = (r, g, b) => 0.2126 * table[Math.round(r)] + 0.7152 * table[Math.round(g)] + 0.0722 * table[Math.round(b)];
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

  /** The contrast of each item over a picture of the page without letters; only what is too faint. */
  async function judge(items, png) {
    const text = atob(png);
    const bytes = new Uint8Array(text.length);
    // Letter by letter: going over a text as a list takes longer than all the rest.
    for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
    canvas.drawImage(bitmap, 0, 0);
    const { data, width, height } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    const pixel = (x, y) => 4 * (Math.min(height - 1, Math.max(0, Math.floor(y))) * width + Math.min(width - 1, Math.max(0, Math.floor(x))));
    const lightness = at => luminance(data[at], data[at + 1], data[at + 2]);
    const faint = [];
    for (const { kind, box, colour, opacity, least, what } of items) {
      let measured;
      if (kind !== 'control') {
        const ratios = [];
        const share = colour[3] * opacity;
        for (let y = box.top + 1; y < box.bottom - 1; y += 1) {
          for (let x = box.left + 1; x < box.right - 1; x += 2) {
            const at = pixel(x, y);
            const over = c => colour[c] * share + data[at + c] * (1 - share);
            ratios.push(ratio(luminance(over(0), over(1), over(2)), lightness(at)));
          }
        }
        // For words the worst stretch of the background, but not an edge that reaches into the box; a sign may wear a badge.
        measured = Float64Array.from(ratios).sort()[Math.floor(ratios.length * (kind === 'sign' ? 0.5 : 0.05))];
      } else {
        // Something of the control, at least as long as a side of it, stands out from what is around it.
        const around = [];
        for (let x = box.left + 4; x < box.right - 4; x += 2) for (const y of [box.top - 3, box.bottom + 2]) around.push(lightness(pixel(x, y)));
        const outside = Float64Array.from(around).sort()[around.length >> 1];
        const inside = [];
        for (let y = box.top; y < box.bottom; y += 1) for (let x = box.left; x < box.right; x += 1) inside.push(ratio(lightness(pixel(x, y)), outside));
        measured = Float64Array.from(inside).sort().at(-1 - Math.min(inside.length - 1, Math.floor(box.bottom - box.top)));
      }
      if (measured !== undefined && measured < least) faint.push(`${measured.toFixed(2)} < ${least} ${what}`);
    }
    return faint;
  }

  /** Words that a box cuts off without saying so by an ellipsis, or that run out of the shape drawn behind them. */
  function clipped() {
    const found = new Set();
    const within = modal() ?? document.body;
    for (const node of textNodes()) {
      const element = node.parentElement;
      if (!within.contains(element) || element.closest(fading)) continue;
      const all = boxes(node);
      if (!all.length || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
      const text = { left: Math.min(...all.map(b => b.left)), top: Math.min(...all.map(b => b.top)),
        right: Math.max(...all.map(b => b.right)), bottom: Math.max(...all.map(b => b.bottom)) };
      const slack = 3;
      const out = (box, x, y) => (x && (text.left < box.left - slack || text.right > box.right + slack)) || (y && (text.top < box.top - slack || text.bottom > box.bottom + slack));
      let shaped = false;
      for (let at = element; at && at !== document.body; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (onlyRead(style)) break;
        if (style.display === 'inline' || style.display === 'contents') continue;
        const box = at.getBoundingClientRect();
        // It may scroll, or says itself that it cuts: an ellipsis in a line, a clamp of lines.
        const cuts = axis => ['hidden', 'clip'].includes(style[`overflow${axis}`]);
        const scrolls = ['auto', 'scroll'].includes(style.overflowX) || ['auto', 'scroll'].includes(style.overflowY);
        if (scrolls) break;
        const says = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
        if (says && (cuts('X') || cuts('Y'))) {
          // What is left of it must then be whole.
          Object.assign(text, { left: Math.max(text.left, box.left), top: Math.max(text.top, box.top),
            right: Math.min(text.right, box.right), bottom: Math.min(text.bottom, box.bottom) });
          continue;
        }
        if (out(box, cuts('X'), cuts('Y'))) found.add(`cut off: “${node.data.trim().slice(0, 30)}” ${name(element)} by ${name(at)}`);
        if (!shaped && rgba(style.backgroundColor)[3] > 0) {
          shaped = true;
          if (out(box, true, true)) found.add(`out of its shape: “${node.data.trim().slice(0, 30)}” ${name(element)} in ${name(at)}`);
        }
        if (style.position === 'fixed' || at.matches(':modal')) break;
      }
    }
    return [...found];
  }

  window.legibility = { collect, hide, unhide, judge, clipped };
})();
