import { OvationError } from '../protocol/errors.js';

/**
 * Sends a file or a form by POST, and says how far it is: `fetch` cannot tell how much has been sent.
 * @param {string} path
 * @param {Blob | FormData} body
 * @param {{authorization: string, tell: (share: number) => void, signal?: AbortSignal, call?: XMLHttpRequest}} options `tell` hears 0…1
 * @returns {Promise<any>} the answer's JSON; an OvationError is thrown for a refusal, `aborted`, `server_unreachable`
 */
export function sendFile(path, body, { authorization, tell, signal, call = new XMLHttpRequest() }) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new OvationError('aborted'));
    call.open('POST', path);
    call.setRequestHeader('Authorization', authorization);
    call.responseType = 'json';
    call.upload.onprogress = ({ loaded, total }) => tell(total > 0 ? loaded / total : 0);
    call.onload = () => {
      const answer = call.response;
      if (call.status === 201 && answer) return resolve(answer);
      if (!answer?.error) return reject(new OvationError('server_unreachable', `HTTP ${call.status}`));
      const { name = 'internal', message, code, ...data } = answer.error;
      reject(new OvationError(String(name), message, { code, data }));
    };
    call.onerror = () => reject(new OvationError('server_unreachable'));
    call.onabort = () => reject(new OvationError('aborted'));
    signal?.addEventListener('abort', () => call.abort(), { once: true });
    call.send(body);
  });
}
