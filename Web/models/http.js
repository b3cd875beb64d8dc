import { OvationError } from '../protocol/errors.js';

/**
 * Asks the server over HTTP; the answer's JSON, or an OvationError (`server_unreachable` when nobody answers).
 * @param {string} url
 * @param {{body?: object, method?: string, authorization?: string, credentials?: RequestCredentials, signal?: AbortSignal, fetch?: typeof fetch}} options a body makes it a POST
 * @returns {Promise<any>} null where the server did it and has nothing to say
 */
export async function request(
  url,
  { body, method, authorization, credentials, signal, fetch = globalThis.fetch } = {},
) {
  /** @type {Response} */ let response;
  try {
    response = await fetch(url, {
      method: method ?? (body ? 'POST' : 'GET'),
      cache: 'no-store',
      ...(body ? { body: JSON.stringify(body) } : {}),
      headers: {
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...(authorization ? { Authorization: authorization } : {}),
      },
      ...(credentials ? { credentials } : {}),
      ...(signal ? { signal } : {}),
    });
  } catch (thrown) {
    if (signal?.aborted) throw new OvationError('aborted');
    throw new OvationError('server_unreachable', String(thrown), { cause: thrown });
  }
  if (response.status === 204) return null;
  /** @type {any} */ let answer = null;
  try {
    answer = await response.json();
  } catch {
    // A proxy's error page, or nothing at all.
  }
  if (response.ok && answer !== null) return answer;
  if (answer?.error) {
    const { code, name, message, ...data } = answer.error;
    throw new OvationError(String(name ?? 'internal'), message, { code, data });
  }
  if (response.status === 401 || response.status === 403)
    throw new OvationError('not_signed_in', `HTTP ${response.status}`);
  throw new OvationError('server_unreachable', `HTTP ${response.status}`);
}
