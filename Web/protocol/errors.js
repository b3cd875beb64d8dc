/**
 * Every refusal that a server may send, by its stable name, with the documented number
 * (Documentation/build/protocol.md §3).
 */
export const serverErrors = Object.freeze({
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
  unavailable: 20503,
  not_signed_in: 6014,
  app_unknown: -3317,
  room_id_invalid: -3318,
  user_id_invalid: -3319,
  ticket_empty: -3320,
  ticket_failed: -100018,
  ticket_expired: -100018,
  ticket_not_yet_valid: -100018,
  session_expired: 6206,
  session_replaced: 6208,
  name_taken: 20409,
  banned_here: 20452,
  banned_here_for_good: 20453,
  permission_denied: 10007,
  room_not_found: 10010,
  room_closed: 20410,
  room_id_taken: 10021,
  room_full: 20413,
  rooms_limited: 20414,
  not_in_room: 20401,
  in_another_room: 20402,
  attributes_full: 10048,
  seat_taken: 10056,
  seat_closed: 20421,
  seat_not_found: 20422,
  seat_empty: 20423,
  already_seated: 20424,
  not_seated: 20425,
  seat_muted: 20426,
  not_live: 20471,
  camera_blocked: 20472,
  screen_taken: 20473,
  host_off_stage: 20474,
  people_on_stage: 20475,
  challenge_pending: 20476,
  challenge_gone: 20477,
  challenge_refused: 20478,
  in_pk: 20479,
  links_full: 20480,
  not_linked: 20481,
  other_format: 20482,
  gift_unknown: 20490,
  balance_low: 20491,
  consent_required: 20427,
  user_not_in_room: 20428,
  too_frequent: 10001,
  rate_limited: 10006,
  room_key_failed: -100006,
  text_filtered: 80001,
  review_refused: 10016,
  chat_muted: 10017,
  hosts_only: 10017,
  slow_mode: 20511,
  links_refused: 20512,
  message_not_found: 20513,
  banned: 20514,
  banned_for_good: 20515,
  not_restricted: 20516,
  restrictions_full: 20517,
  message_too_large: 80002,
  user_away: 20518,
  invitation_not_found: 8010,
  invitation_denied: 8011,
  invitation_exists: 8012,
  key_reused: 20431,
  too_many_marks: 20432,
  media_refused: 20441,
  guests_limited: 20451,
  origin_refused: 20403,
  not_a_chorus: 20461,
  no_song: 20462,
  song_too_large: 20463,
  song_format: 20464,
  song_library_full: 20465,
  lyrics_invalid: 20466,
  song_not_found: 20467,
  uploads_unavailable: 20468,
  face_too_large: 20456,
  face_format: 20457,
  face_library_full: 20458,
  face_not_found: 20459,
});

/** What can go wrong on this side, before or without an answer. Numbers are this client's own. */
export const clientErrors = Object.freeze({
  /** No connection, and none came within the call's time. */
  offline: -1,
  /** The connection broke before the answer, and the call may not be repeated by itself. */
  connection_lost: -2,
  /** No answer in time. */
  timeout: -3,
  /** The caller's AbortSignal fired. */
  aborted: -4,
  /** The session was signed out here or on the server. */
  signed_out: -5,
  /** An HTTP request found no server. */
  server_unreachable: -6,
  /** This server gives out no tickets (`signIn: "none"`). */
  sign_in_unavailable: -7,
  /** Too many calls wait for answers. */
  too_many_calls: -8,
  /** The room is of a kind that this page does not know: a newer server's. */
  room_kind_unknown: -14,
  /** The browser is too old, or has no WebSocket. */
  unsupported_browser: -10,
  /** The browser has no WebRTC, or it is switched off: no sound and no picture. */
  webrtc_missing: -31,
  /** The browser itself failed to open the media path; `message` is what it said. */
  media_browser: -32,
  /** The page is not a secure context: no microphone on plain HTTP but localhost. */
  microphone_insecure: -20,
  /** The page is secure, and the browser gives pages no microphone all the same. */
  microphone_withheld: -21,
  /** The person or the system said no. The numbers of devices are the published ones. */
  microphone_denied: -1317,
  /** No microphone is plugged in. */
  microphone_missing: -1302,
  /** Another program holds it. */
  microphone_busy: -1319,
  /** The page is not a secure context: no camera on plain HTTP but localhost. */
  camera_insecure: -24,
  /** The page is secure, and the browser gives pages no camera all the same. */
  camera_withheld: -26,
  /** The browser knows nothing of the format in which the room's pictures come. */
  camera_format: -25,
  /** The person said no. */
  screen_denied: -1308,
  camera_denied: -1314,
  /** The system keeps the camera from the browser. */
  camera_denied_by_system: -1314,
  /** No camera is plugged in. */
  camera_missing: -1301,
  /** Another program holds it. */
  camera_busy: -1316,
  /** A song's file could not be fetched or decoded. */
  song_unplayable: -40,
  /** The media path could not be opened. */
  media_failed: -30,
});

/** @typedef {keyof typeof serverErrors | keyof typeof clientErrors} ErrorName */

/** A refusal or a failure. Switch on `name`; `message` is an English sentence for a log. */
export class OvationError extends Error {
  /**
   * @param {string} name a stable name of `serverErrors` or `clientErrors` (an unknown one from a newer server is kept)
   * @param {string} [message]
   * @param {{code?: number, data?: Record<string, any>, cause?: unknown}} more
   */
  constructor(name, message, { code, data = {}, cause } = {}) {
    super(message ?? name, cause === undefined ? undefined : { cause });
    this.name = name;
    /** @type {number} */
    this.code = code ?? numberOf(name);
    /** @type {Record<string, any>} what the server added: `field`, `reason`, `retryAfterMs`, `skewSeconds`, `incident` */
    this.data = data;
  }

  /** Milliseconds after which a refused call may be tried again, if the server said so. */
  get retryAfterMs() {
    const value = this.data.retryAfterMs;
    return typeof value === 'number' && value >= 0 ? value : null;
  }

  /**
   * The error object of a JSON-RPC or HTTP answer.
   * @param {any} error `{code, message, data: {name, …}}` or `{code, name, message}`
   */
  static fromWire(error) {
    const data = typeof error?.data === 'object' && error.data !== null ? error.data : {};
    const code = typeof error?.code === 'number' ? error.code : undefined;
    const name = String(data.name ?? error?.name ?? nameOf(code));
    return new OvationError(name, String(error?.message ?? name), { code, data });
  }

  /**
   * Whatever was thrown, as an OvationError.
   * @param {unknown} thrown
   */
  static of(thrown) {
    if (thrown instanceof OvationError) return thrown;
    if (thrown instanceof Error && thrown.name === 'AbortError')
      return new OvationError('aborted', thrown.message);
    return new OvationError('internal', thrown instanceof Error ? thrown.message : String(thrown), {
      cause: thrown,
    });
  }
}

/** @param {string} name */
function numberOf(name) {
  const table = /** @type {Record<string, number>} */ ({ ...serverErrors, ...clientErrors });
  return table[name] ?? serverErrors.internal;
}

/** @param {number | undefined} code */
function nameOf(code) {
  const found = Object.entries(serverErrors).find(([, number]) => number === code);
  return found ? found[0] : 'internal';
}
