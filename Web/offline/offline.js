// The page that stands in for any other without a connection: in the language and theme that were chosen here, and gone as soon as there is one.
(() => {
  /** How often the server is asked whether it is there, in milliseconds. */
  const askEvery = 4000;
  /** @type {{theme?: string, language?: string}} */ let chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem('ovation.preferences') ?? '{}');
  } catch {
    // No storage, or somebody else's text in it.
  }
  const light =
    chosen.theme === 'light' ||
    (chosen.theme !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
  const wishes = [chosen.language || [], navigator.languages].flat();
  const known = wishes.map(wish => /^(en|ko|zh)/i.exec(wish)?.[1].toLowerCase()).find(Boolean) ?? 'en';
  document.documentElement.lang = known === 'zh' ? 'zh-Hans' : known;
  const again = () => location.reload();
  // The device says when it has a network again; a server that restarts does not.
  addEventListener('online', again);
  setInterval(async () => {
    const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => null);
    if (answer?.ok) again();
  }, askEvery);
  addEventListener('click', event => {
    if (event.target instanceof HTMLButtonElement) again();
  });
})();
