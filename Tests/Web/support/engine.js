import { webcrypto } from 'node:crypto';
import { setMaxListeners } from 'node:events';

// Browsers have it everywhere; Node 18, which Debian carries, only as a module.
globalThis.crypto ??= webcrypto;

// A salon's signal ends many things at once; that is no leak.
setMaxListeners(0);
