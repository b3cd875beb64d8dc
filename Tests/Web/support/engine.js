import { webcrypto } from 'node:crypto';

// Browsers have it everywhere; Node 18, which Debian carries, only as a module.
globalThis.crypto ??= webcrypto;
