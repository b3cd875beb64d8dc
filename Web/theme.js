// Sets the theme before the first paint. A classic script of its own, because the page's policy allows no inline code;
// app.js keeps the theme up to date from then on.
(() => {
  let theme = 'system';
  try {
    theme = JSON.parse(localStorage.getItem('ovation.preferences') ?? '{}').theme ?? theme;
  } catch {
    // No storage, or somebody else's text in it: the system's theme will do.
  }
  if (theme === 'system') theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
})();
