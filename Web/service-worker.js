// Shows a page without a connection, and does nothing else: no page of the app, no answer of the server and nothing of a room is kept. The app
// registers it under its build, so that a new build brings a new page.

const keptAs = 'ovation-offline';
const files = ['/offline/', '/offline/offline.css', '/offline/offline.js'];

/** @type {any} */
const worker = self;

worker.addEventListener('install', (/** @type {any} */ event) => {
  const keep = async () => {
    const kept = await caches.open(keptAs);
    await kept.addAll(files.map(file => new Request(file, { cache: 'reload' })));
    await worker.skipWaiting();
  };
  event.waitUntil(keep());
});

worker.addEventListener('activate', (/** @type {any} */ event) => {
  const begin = async () => {
    // The server is asked while this worker starts.
    await worker.registration.navigationPreload?.enable();
    await worker.clients.claim();
  };
  event.waitUntil(begin());
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.mode === 'navigate') event.respondWith(page(event));
  else if (origin === location.origin && files.includes(pathname)) event.respondWith(part(event.request));
});

/** @param {any} event */
async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match('/offline/')) ?? Response.error();
  }
}

/** @param {Request} request */
async function part(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(request, { ignoreSearch: true })) ?? Response.error();
  }
}
