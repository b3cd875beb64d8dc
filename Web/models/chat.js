import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { danmuCommand } from '../protocol/events.js';
import { freshKey } from '../protocol/ids.js';

/** @typedef {import('./salon-state.js').ChatLine} ChatLine */
/** @typedef {import('./salon-state.js').TextLine} TextLine */
/** @typedef {import('./salon-state.js').SystemLine} SystemLine */
/** @typedef {import('../protocol/events.js').Message} Message */
/** @typedef {import('../protocol/events.js').User} User */
/** @typedef {import('../protocol/room.js').OvationRoom} OvationRoom */

/** Lines kept; older ones fall off. */
const linesMost = 500;
/** Happenings of one kind are told as one line if they follow each other within this time. */
const foldMs = 60_000;
/** Names shown in a folded line. */
const namesMost = 3;

/** @typedef {{lines: readonly ChatLine[], unread: number, unreadKey: string | null}} ChatState */

/** What is said and what happens in a room, as lines, my own unsent ones included. */
export class ChatModel {
  state = new Store(/** @type {ChatState} */ ({ lines: [], unread: 0, unreadKey: null }));

  #room;
  #systemLines = 0;
  #asDanmu = new Set();
  /**
   * The last message that a line shows, or tells to be missing, and the life of the room in which it was said.
   * @type {{epoch: number, chat: number} | null}
   */
  #told = null;

  /** @param {OvationRoom} room */
  constructor(room) {
    this.#room = room;
  }

  /**
   * Takes up the messages of a snapshot. What was read stays, unless the room has begun a new life; a line tells how many
   * messages are missing between; my unsent lines stay at the end.
   */
  reset() {
    const { epoch, messages } = this.#room.now;
    const fresh = messages.map(message => this.#lineOf(message)).filter(isLine);
    const keys = new Set(fresh.map(line => line.key));
    const old = this.state.get().lines.filter(line => !keys.has(line.key));
    const isKept = (/** @type {ChatLine} */ line) =>
      !isText(line) || (line.status === 'sent' && this.#told?.epoch === epoch);
    const sent = [...old.filter(isKept), ...this.#missing(), ...fresh].sort((a, b) => a.time - b.time);
    this.#show([...sent, ...old.filter(line => isText(line) && line.status !== 'sent')]);
  }

  /** What lies between the last message that was told and the first of the snapshot. */
  #missing() {
    const { epoch, chat, messages } = this.#room.now;
    const last = this.#told;
    this.#told = { epoch, chat };
    const first = messages[0]?.chat ?? chat + 1;
    if (last?.epoch !== epoch || first <= last.chat + 1) return [];
    return [this.#gapLine(last.chat + 1, first - 1, messages[0]?.time)];
  }

  /**
   * A message of the room.
   * @param {Message} message
   * @returns {TextLine | null} the line, unless it is a custom message that is no chat
   */
  add(message) {
    this.#told = { epoch: this.#room.now.epoch, chat: message.chat };
    const line = this.#lineOf(message);
    if (!line) return null;
    const others = this.state.get().lines.filter(other => other.key !== line.key);
    const before = others.filter(other => !isText(other) || other.status === 'sent');
    const unsent = others.filter(other => isText(other) && other.status !== 'sent');
    this.#show([...before, line, ...unsent]);
    if (!line.mine) {
      this.state.update(state => ({
        ...state,
        unread: state.unread + 1,
        unreadKey: state.unreadKey ?? line.key,
      }));
    }
    return line;
  }

  /**
   * Something that happened, folded into the last line if that tells of the same kind of thing.
   * @param {SystemLine['what']} what
   * @param {User} person
   * @param {{seat?: number | null, time?: number}} more
   */
  tell(what, person, { seat = null, time = this.#room.session.serverNow() } = {}) {
    const { lines } = this.state.get();
    const last = lines.at(-1);
    if (last?.kind === 'system' && last.what === what && time - last.time < foldMs && foldable.has(what)) {
      const isNew = last.people.every(({ id }) => id !== person.id);
      const people = isNew ? [...last.people, person].slice(0, namesMost) : last.people;
      this.#show([...lines.slice(0, -1), { ...last, people, count: last.count + (isNew ? 1 : 0) }]);
      return;
    }
    /** @type {SystemLine} */
    const line = {
      kind: 'system',
      key: `s:${this.#systemLines++}`,
      what,
      people: [person],
      count: 1,
      seat,
      time,
    };
    this.#show([...lines, line]);
  }

  /**
   * A gift that was given; what goes on in a row counts on in its line.
   * @param {import('../protocol/events.js').SentGift} sent
   */
  addGift({ number, gift, count, from, to, time }) {
    const { lines } = this.state.get();
    const last = lines.at(-1);
    const goesOn =
      last?.kind === 'gift' &&
      last.from.id === from.id &&
      last.to.id === to.id &&
      last.gift.id === gift.id &&
      time - last.time < foldMs;
    if (goesOn) this.#show([...lines.slice(0, -1), { ...last, count: last.count + count, time }]);
    else this.#show([...lines, { kind: 'gift', key: `p:${number}`, from, to, gift, count, time }]);
  }

  /**
   * A host has deleted a message. Its text stays with the line, for hosts to look at.
   * @param {number} chat
   */
  delete(chat) {
    const { lines } = this.state.get();
    this.#show(lines.map(line => (isText(line) && line.chat === chat ? { ...line, deleted: true } : line)));
  }

  /** @param {number} from @param {number} to */
  gap(from, to) {
    this.#told = { epoch: this.#room.now.epoch, chat: to };
    this.#show([...this.state.get().lines, this.#gapLine(from, to)]);
  }

  /**
   * @param {number} from
   * @param {number} to
   * @param {number} [time]
   * @returns {import('./salon-state.js').GapLine}
   */
  #gapLine(from, to, time = this.#room.session.serverNow()) {
    return { kind: 'gap', key: `g:${this.#room.now.epoch}:${from}`, from, to, time };
  }

  /**
   * Shows a line of mine at once and sends it.
   * @param {string} text
   * @param {{danmu?: boolean}} options
   */
  async send(text, { danmu = false } = {}) {
    const id = freshKey();
    if (danmu) this.#asDanmu.add(id);
    const { id: user, name, avatar } = this.#room.now.me;
    /** @type {TextLine} */
    const line = {
      kind: danmu ? 'danmu' : 'text',
      key: `o:${id}`,
      from: { id: user, name, avatar },
      text,
      time: this.#room.session.serverNow(),
      mine: true,
      status: 'sending',
      error: null,
      chat: null,
      deleted: false,
    };
    this.#show([...this.state.get().lines, line]);
    await this.#deliver(line);
  }

  /** @param {string} key of a failed line */
  async resend(key) {
    const line = this.#own(key);
    if (line?.status === 'failed') await this.#deliver(line);
  }

  /**
   * Removes a failed line.
   * @param {string} key
   * @returns {string} its text
   */
  discard(key) {
    const line = this.#own(key);
    if (line?.status !== 'failed') return '';
    this.#show(this.state.get().lines.filter(other => other !== line));
    return line.text;
  }

  /** Everything has been seen. */
  markRead() {
    this.state.update(state => (state.unread === 0 ? state : { ...state, unread: 0, unreadKey: null }));
  }

  /** @param {TextLine} line */
  async #deliver(line) {
    const id = line.key.slice(2);
    this.#mark(line.key, { status: 'sending', error: null });
    try {
      const limit = this.#room.session.limits.textBytes ?? Infinity;
      if (new TextEncoder().encode(line.text).length > limit) throw new OvationError('message_too_large');
      if (this.#asDanmu.has(id)) await this.#room.sendDanmu(line.text, id);
      else await this.#room.sendText(line.text, id);
      // The room's own news of it follows and takes the line's place.
    } catch (thrown) {
      const error = OvationError.of(thrown);
      // It may have arrived although its answer did not.
      if (this.#own(line.key)?.status === 'sent') return;
      this.#mark(line.key, { status: 'failed', error });
      throw error;
    }
  }

  /** @param {string} key */
  #own(key) {
    return this.state
      .get()
      .lines.filter(isText)
      .find(line => line.mine && line.key === key);
  }

  /** @param {string} key @param {Partial<TextLine>} some */
  #mark(key, some) {
    this.#show(
      this.state.get().lines.map(line => (isText(line) && line.key === key ? { ...line, ...some } : line)),
    );
  }

  /** @param {Message} message @returns {TextLine | null} */
  #lineOf(message) {
    const { from, text, command, time, id, chat, deleted = false } = message;
    const danmu = command === danmuCommand;
    if (!danmu && typeof text !== 'string') return null;
    const { me, epoch } = this.#room.now;
    const mine = from.id === me.id;
    return {
      kind: danmu ? 'danmu' : 'text',
      key: mine && id ? `o:${id}` : `m:${epoch}:${chat}`,
      from,
      text: (danmu ? message.message : text) ?? '',
      time,
      mine,
      status: 'sent',
      error: null,
      chat,
      deleted,
    };
  }

  /** @param {readonly ChatLine[]} lines */
  #show(lines) {
    this.state.update(state => ({ ...state, lines: lines.slice(-linesMost) }));
  }
}

/** Kinds of happenings that are told together; what concerns one seat or one decision stands alone. */
const foldable = new Set(['entered', 'left']);

/** @param {ChatLine} line @returns {line is TextLine} */
function isText(line) {
  return line.kind === 'text' || line.kind === 'danmu';
}

/** @param {TextLine | null} line @returns {line is TextLine} */
function isLine(line) {
  return line !== null;
}
