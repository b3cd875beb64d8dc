import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLayer, layers, layerWhile } from '../../Web/lib/layers.js';
import { Router } from '../../Web/lib/router.js';
import { Store } from '../../Web/lib/store.js';

/** Numbers from 0 to 1 that are the same for a seed (mulberry32). */
const random = seed => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};

/** A browser's history: going is asked for and comes later, writing is at once and ends what was ahead. */
class Browser extends EventTarget {
  entries = [
    { path: '/elsewhere', state: null },
    { path: '/', state: null },
  ];
  at = 1;
  due = [];
  timers = [];
  location = { pathname: '/' };
  history = this;

  get state() {
    return structuredClone(this.entries[this.at].state);
  }

  pushState(state, _, path = this.location.pathname) {
    this.entries.splice(this.at + 1, Number.POSITIVE_INFINITY, { path, state });
    this.at++;
    this.location.pathname = path;
  }

  replaceState(state, _, path) {
    this.entries[this.at] = { path, state };
    this.location.pathname = path;
  }

  go(steps) {
    assert.notEqual(steps, 0, 'that would load the page anew');
    this.due.push(steps);
  }

  back() {
    this.go(-1);
  }

  forward() {
    this.go(1);
  }

  setTimeout(call) {
    this.timers.push(call);
  }

  scrollTo() {}

  /** One step of what is on its way, the one asked for first. */
  step() {
    if (this.due.length > 0) {
      const to = this.at + this.due.shift();
      if (to < 0 || to >= this.entries.length) return true;
      this.at = to;
      this.location.pathname = this.entries[to].path;
      this.dispatchEvent(new Event('popstate'));
      return true;
    }
    this.timers.shift()?.();
    return this.due.length + this.timers.length > 0;
  }

  settle() {
    for (let most = 100; this.due.length + this.timers.length > 0; most--) {
      assert.ok(most > 0, 'it never comes to rest');
      this.step();
    }
  }

  /** Paths up to the present entry, those of layers with a mark. */
  get trail() {
    return this.entries.slice(1, this.at + 1).map(({ path, state }) => path + '+'.repeat(state?.over ?? 0));
  }
}

/** A page of the router, whose sheets go with it. */
function open() {
  const browser = new Browser();
  const scope = new AbortController();
  const router = new Router(scope.signal, layers, browser);
  /** @type {{name: string, close: () => void}[]} */ const sheets = [];
  const closeAll = () => {
    for (const sheet of [...sheets]) sheet.close();
  };
  router.place.subscribe(closeAll, { now: false });
  const sheet = name => {
    const own = new AbortController();
    const one = { name, close: () => own.abort() };
    own.signal.addEventListener('abort', () => sheets.splice(sheets.indexOf(one), 1));
    sheets.push(one);
    addLayer(one.close, own.signal);
    return one;
  };
  const end = () => {
    closeAll();
    scope.abort();
  };
  return { browser, router, sheets, sheet, end, names: () => sheets.map(({ name }) => name) };
}

test('A14-W Back closes the sheet on top, then the one below it, then leaves the page', () => {
  const { browser, router, sheet, names, end } = open();
  router.move('/r/1');
  sheet('more');
  sheet('settings');
  assert.deepEqual(browser.trail, ['/', '/r/1', '/r/1+', '/r/1++']);
  browser.back();
  browser.settle();
  assert.deepEqual(names(), ['more']);
  browser.back();
  browser.settle();
  assert.deepEqual([names(), browser.trail], [[], ['/', '/r/1']]);
  browser.back();
  browser.settle();
  assert.deepEqual([router.place.get().page, browser.trail], ['lobby', ['/']]);
  end();
});

test('A14-W a sheet that is closed otherwise leaves no entry: Back leaves the page, also at once', () => {
  const { browser, router, sheet, end } = open();
  router.move('/r/1');
  sheet('more').close();
  browser.settle();
  assert.deepEqual(browser.trail, ['/', '/r/1']);
  sheet('more').close();
  browser.back();
  browser.settle();
  assert.deepEqual([router.place.get().page, browser.trail], ['lobby', ['/']]);
  end();
});

test('A14-W a sheet that leads to a room leaves no entry between, and Forward into a sheet that is gone stays on the page', () => {
  const { browser, router, sheet, names, end } = open();
  sheet('create').close();
  router.move('/r/1');
  assert.deepEqual(browser.trail, ['/', '/r/1'], 'at once');
  browser.settle();
  sheet('more');
  sheet('settings');
  router.move('/r/2');
  assert.deepEqual(router.place.get(), { page: 'room', slug: '2' });
  browser.settle();
  assert.deepEqual([browser.trail, names()], [['/', '/r/1', '/r/2'], []]);
  sheet('more');
  browser.back();
  browser.settle();
  browser.forward();
  browser.settle();
  assert.deepEqual([browser.trail, names()], [['/', '/r/1', '/r/2'], []]);
  end();
});

test('A14-W a jump over the entries of two sheets closes both, and Forward leads to their page', () => {
  const { browser, router, sheet, names, end } = open();
  router.move('/r/1');
  sheet('more');
  sheet('settings');
  browser.go(-3);
  browser.settle();
  assert.deepEqual([browser.trail, names(), router.place.get().page], [['/'], [], 'lobby']);
  browser.forward();
  browser.settle();
  assert.deepEqual([browser.trail, router.place.get().page], [['/', '/r/1'], 'room']);
  end();
});

test('A14-W where leaving is asked about, Back takes the question for a sheet: it stays, and a yes leaves', async () => {
  const { browser, router, sheet, end } = open();
  router.move('/r/1');
  /** @type {(yes: boolean) => void} */ let answer = () => {};
  const guard = () =>
    new Promise(resolve => {
      const question = sheet('ask');
      answer = yes => {
        resolve(yes);
        question.close();
      };
    });
  router.guard = guard;
  browser.back();
  browser.settle();
  assert.deepEqual([router.place.get().page, browser.trail.at(-1)], ['room', '/r/1+']);
  answer(true);
  await null;
  await null;
  browser.settle();
  assert.deepEqual([router.place.get().page, browser.trail.at(-1)], ['lobby', '/']);
  end();
});

test('A14-W a page loaded anew where a sheet lay begins without its entry', () => {
  const browser = new Browser();
  browser.pushState({ over: 1 }, '');
  const scope = new AbortController();
  new Router(scope.signal, layers, browser);
  browser.settle();
  assert.deepEqual(browser.trail, ['/']);
  scope.abort();
});

test('A14-W a drawer is a layer while it is open, and gone with its page', () => {
  const isOpen = new Store(false);
  const page = new AbortController();
  layerWhile(isOpen, () => isOpen.set(false), page.signal);
  isOpen.set(true);
  assert.equal(layers.get().length, 1);
  layers.get()[0].close();
  assert.equal(layers.get().length, 0);
  isOpen.set(true);
  page.abort();
  assert.equal(layers.get().length, 0);
});

test('A14-W whatever is opened, closed, pressed and visited in whatever order, the history has the pages and the open sheets, and nothing else', () => {
  for (let seed = 0; seed < 400; seed++) {
    const next = random(seed);
    const one = most => Math.floor(next() * most);
    const { browser, router, sheets, sheet, names, end } = open();
    const acts = {
      opens: () => sheet(`${seed}`),
      closes: () => sheets[one(sheets.length)]?.close(),
      back: () => browser.at > 1 && browser.back(),
      forward: () => browser.forward(),
      jumps: () => browser.go([-3, -2, 2, 3][one(4)]),
      visits: () => router.move(['/', '/r/1', '/r/2'][one(3)]),
      steps: () => browser.step(),
    };
    const log = [];
    for (let act = 0; act < 30; act++) {
      const name = Object.keys(acts)[one(7)];
      log.push(name);
      acts[name]();
      if (next() < 0.3) continue;
      browser.settle();
      const said = `${seed}: ${log.join(' ')}`;
      const { page, slug } = router.place.get();
      // A press on its way may have left the app: then it is another page's turn.
      if (browser.at === 0) break;
      assert.equal(browser.location.pathname, page === 'room' ? `/r/${slug}` : '/', said);
      const trail = browser.entries.slice(0, browser.at + 1).map(({ state }) => state?.over ?? 0);
      const over = trail.filter(depth => depth > 0);
      assert.deepEqual(
        over,
        sheets.map((_, at) => at + 1),
        said,
      );
      assert.deepEqual(trail.slice(trail.length - over.length), over, said);
      if (browser.at <= 1) continue;
      const [before, path] = [names(), browser.location.pathname];
      browser.back();
      browser.settle();
      log.push('back');
      assert.deepEqual(names(), before.slice(0, -1), `${seed}: ${log.join(' ')}`);
      if (before.length > 0) assert.equal(browser.location.pathname, path);
    }
    end();
  }
});
