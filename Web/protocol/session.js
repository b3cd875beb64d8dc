import { Store } from '../lib/store.js';

/**
 * `connecting` · `ready` · `reconnecting` (`retryAt`: local clock of the next try) · `closed` (`error` tells why; a closed session stays closed).
 * @typedef {{phase: 'connecting' | 'ready' | 'reconnecting' | 'closed', retryAt: number | null, error: import('./errors.js').OvationError | null}} SessionState
 */

/** A signed-in conversation with the server that survives lost connections. */
export class Session {
  /** @type {Store<SessionState>} */
  state = new Store(/** @type {SessionState} */ ({ phase: 'connecting', retryAt: null, error: null }));
}
