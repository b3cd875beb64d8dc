/**
 * A room's id as the wire has it: `123` and `"123"` are different rooms.
 * @typedef {number | string} RoomID
 */

/** The largest numeric room id (Documentation/build/protocol.md §2). */
export const largestRoomNumber = 4294967294;
/**
 * Letters, digits, space and the documented punctuation; 1…64 bytes (all of them ASCII). Not `.` or `..`, which browsers take out of
 * every address (RFC 3986 §5.2.4).
 */
const roomText = /^(?!\.{1,2}$)[A-Za-z0-9 !#$%&()+\-:;<=.>?@[\]^_{}~,|]{1,64}$/;
const userText = /^[A-Za-z0-9_-]{1,32}$/;

/** @param {unknown} id @returns {id is RoomID} */
export function isRoomID(id) {
  if (typeof id === 'number') return Number.isInteger(id) && id >= 1 && id <= largestRoomNumber;
  return typeof id === 'string' && roomText.test(id);
}

/** @param {unknown} id @returns {id is string} */
export function isUserID(id) {
  return typeof id === 'string' && userText.test(id);
}

/**
 * The last path segment of a room's link: `/r/123` is the number, `/r/~123` the string "123",
 * other strings are percent-encoded as they are. A string that itself begins with `~` gets one more.
 * @param {RoomID} id
 */
export function roomSlug(id) {
  if (typeof id === 'number') return String(id);
  return encodeURIComponent(/^\d+$/.test(id) || id.startsWith('~') ? `~${id}` : id);
}

/**
 * Where the newest still of a room is, on its server; '' where there is none.
 * @param {{room: RoomID, still?: number}} info
 */
export function stillPath({ room, still }) {
  return still ? `/v1/rooms/${roomSlug(room)}/still/${still}.jpg` : '';
}

/**
 * The room that a link's last path segment means, or null.
 * @param {string} slug still percent-encoded
 * @returns {RoomID | null}
 */
export function roomFromSlug(slug) {
  /** @type {string} */ let text;
  try {
    text = decodeURIComponent(slug);
  } catch {
    return null;
  }
  const id = /^\d+$/.test(text) ? Number(text) : text.startsWith('~') ? text.slice(1) : text;
  return isRoomID(id) ? id : null;
}

/**
 * What a person typed or pasted into "enter by id": an id, or a whole link to a room.
 * @param {string} text
 * @returns {RoomID | null}
 */
export function roomFromText(text) {
  const trimmed = text.trim();
  const link = /\/r\/([^/?#\s]+)/.exec(trimmed);
  if (link) return roomFromSlug(link[1]);
  if (/^#?\d+$/.test(trimmed)) return roomFromSlug(trimmed.replace('#', ''));
  const id = trimmed.startsWith('~') ? trimmed.slice(1) : trimmed;
  return isRoomID(id) ? id : null;
}

/** An idempotency key or a client message id: random, 22 characters. */
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replace(/=+$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
