// A ticket server (TLSSigAPIv2) with Node alone. See README.md beside this file.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { deflateSync } from 'node:zlib';

const {
  OVATION_APP,
  OVATION_KEY,
  OVATION_ORIGIN = 'http://localhost:8080',
  PORT = '8090',
  LIFETIME = '3600',
} = process.env;
const app = Number(OVATION_APP);
const lifetime = Number(LIFETIME);
const largestBody = 16 * 1024;
if (!app || !OVATION_KEY) throw new Error('set OVATION_APP and OVATION_KEY');

/** The ticket of a user: the fields and their HMAC, as compressed JSON in the alphabet of the tickets. */
function sign(user) {
  const now = Math.floor(Date.now() / 1000);
  const text = `TLS.identifier:${user}\nTLS.sdkappid:${app}\nTLS.time:${now}\nTLS.expire:${lifetime}\n`;
  const fields = {
    'TLS.ver': '2.0',
    'TLS.identifier': user,
    'TLS.sdkappid': app,
    'TLS.expire': lifetime,
    'TLS.time': now,
    'TLS.sig': createHmac('sha256', OVATION_KEY).update(text).digest('base64'),
  };
  const packed = deflateSync(JSON.stringify(fields)).toString('base64');
  return packed.replaceAll('+', '*').replaceAll('/', '-').replaceAll('=', '_');
}

/** Who is asking. Here: whoever gives a name. Put your own session check in its place. */
function visitor(request) {
  const name = String(request?.name ?? request?.user ?? '').trim();
  const user = name
    .replace(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 32)
    .replace(/^-+|-+$/g, '');
  return { user, name };
}

createServer(async (request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, {
      'Access-Control-Allow-Origin': OVATION_ORIGIN,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Headers': 'content-type',
      'Content-Type': 'application/json',
      Vary: 'Origin',
    });
    response.end(JSON.stringify(body));
  };
  if (request.method === 'OPTIONS') return answer(200, {});
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // Read to its end and forgotten: a client that still sends would not see the answer.
    if (size <= largestBody) chunks.push(chunk);
  }
  if (size > largestBody)
    return answer(413, { error: { code: 80002, name: 'message_too_large', message: 'too large' } });
  let body;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  } catch {
    return answer(400, { error: { code: -32700, name: 'parse_error', message: 'the body is not JSON' } });
  }
  const { user, name } = visitor(body);
  if (!user) return answer(401, { error: { code: 6014, name: 'not_signed_in', message: 'sign in first' } });
  answer(200, { app, user, name, ticket: sign(user), expiresInSeconds: lifetime });
}).listen(Number(PORT), '127.0.0.1');
