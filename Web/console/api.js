import { request } from '../models/http.js';

/**
 * What a key may do: the answer of `GET /v1/key`.
 * @typedef {{id: string, name: string, app?: number, scopes: string[], expiresAt?: number}} KeyInfo
 */

/** The REST API (Documentation/build/rest.md), by an operator's key. */
export class OperatorApi {
  #key;
  #fetch;

  /**
   * @param {string} key `ovk_…`
   * @param {{app?: number, fetch?: typeof fetch}} options `app`: for a key that is good for all applications
   */
  constructor(key, { app, fetch = globalThis.fetch } = {}) {
    this.#key = key;
    this.#fetch = fetch;
    /** @type {number | undefined} */
    this.app = app;
  }

  /**
   * @param {string} path below `/v1/`
   * @param {Record<string, string | number | boolean | undefined>} [query]
   * @returns {Promise<any>}
   */
  get(path, query = {}) {
    return this.#ask('GET', path, { query });
  }

  /**
   * @param {'POST' | 'PUT' | 'PATCH' | 'DELETE'} method
   * @param {string} path below `/v1/`
   * @param {object} [body]
   * @param {string} [once] a repeat with the same text does nothing
   * @returns {Promise<any>}
   */
  send(method, path, body, once) {
    return this.#ask(method, path, { body: body ?? (method === 'DELETE' ? undefined : {}), once });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{query?: Record<string, string | number | boolean | undefined>, body?: object, once?: string}} what
   */
  #ask(method, path, { query = {}, body, once }) {
    const search = searchOf({ ...query, app: this.app });
    const fetch = once === undefined ? this.#fetch : keyed(this.#fetch, once);
    return request(`/v1/${path}${search}`, { method, body, authorization: `Bearer ${this.#key}`, fetch });
  }

  /**
   * The same call for a terminal; the key stays in a variable there.
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  command(method, path, body) {
    const url = `${location.origin}/v1/${path}${searchOf({ app: this.app })}`;
    const data = body === undefined ? '' : ` -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
    return `curl -X ${method} '${url}' -H "Authorization: Bearer $OVATION_OPERATOR_KEY"${data}`;
  }
}

/** @param {Record<string, string | number | boolean | undefined>} query */
function searchOf(query) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text && `?${text}`;
}

/** @param {typeof fetch} fetch @param {string} once @returns {typeof globalThis.fetch} */
function keyed(fetch, once) {
  return (url, options) =>
    fetch(url, {
      ...options,
      headers: { .../** @type {any} */ (options?.headers), 'Idempotency-Key': once },
    });
}
