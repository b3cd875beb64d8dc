import { OperatorApi } from './api.js';

/**
 * What of an application its operator chooses it by.
 * @typedef {{app: number, name: string}} ApplicationName
 *
 * Somebody who is signed in. `applications`: those that the key may choose from; without them it has but one, or names them by number.
 * `api.app` says which one is shown; without it one has to be chosen first.
 * @typedef {{api: OperatorApi, key: import('./api.js').KeyInfo, applications: readonly ApplicationName[] | null}} SignedIn
 */

/** An operator's key, as the command line prints it. */
const keyShape = /^ovk_[0-9a-f]{12}_[0-9a-f]{64}$/;

/**
 * Takes a key out of the page's address (`#key=ovk_…`), so that neither the history nor a copied address has it.
 * @param {{location: Pick<Location, 'hash' | 'pathname' | 'search'>, history: Pick<History, 'replaceState'>}} page
 * @returns {string} '' if there is none
 */
export function takeKey(page = globalThis) {
  const { location, history } = page;
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return '';
  history.replaceState(null, '', location.pathname + location.search);
  return keyShape.test(key) ? key : '';
}

/**
 * Finds out what a key is good for, and refuses an application that the server does not have.
 * @param {string} key
 * @param {number} [app] the application, for a key that is good for all of them
 * @param {typeof globalThis.fetch} [fetch]
 * @returns {Promise<SignedIn>}
 */
export async function signIn(key, app, fetch) {
  const api = new OperatorApi(key, { fetch });
  const info = await api.get('key');
  if (info.app !== undefined) return { api, key: info, applications: null };
  /** @type {ApplicationName[] | null} */
  const applications = info.scopes.includes('applications')
    ? (await api.get('applications')).applications
    : null;
  api.app = app ?? (applications?.length === 1 ? applications[0].app : undefined);
  // Whatever a key may do, it may ask this; the server refuses it for an application that it does not have.
  if (api.app !== undefined) await api.get('gifts');
  return { api, key: info, applications };
}
