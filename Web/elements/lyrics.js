import { placeIn } from '../models/lyrics.js';

/** Lines shown before and after the one that is sung. */
const around = 1;

/**
 * `<ov-lyrics .lyrics=${Lyrics} .position=${() => ms}>`: the line that is sung, large, its words lit as they are sung, the
 * lines around it small. Follows the position at each frame, past the templates.
 */
export class LyricsView extends HTMLElement {
  /** @type {import('../models/lyrics.js').Lyrics | null} */ #lyrics = null;
  /** @type {() => number} */ position = () => 0;
  #frame = 0;
  /** @type {string} what is shown, to change only that */ #shown = '';
  /** @type {HTMLElement[]} of the line that is sung */ #words = [];

  connectedCallback() {
    const follow = () => {
      this.#show();
      this.#frame = requestAnimationFrame(follow);
    };
    this.#frame = requestAnimationFrame(follow);
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
  }

  get lyrics() {
    return this.#lyrics;
  }

  set lyrics(lyrics) {
    if (lyrics === this.#lyrics) return;
    this.#lyrics = lyrics;
    this.#shown = '';
    this.replaceChildren();
  }

  #show() {
    const lyrics = this.#lyrics;
    if (!lyrics) return;
    const { line, word, share } = placeIn(lyrics, this.position());
    const shown = String(line);
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#build(lyrics, line);
    }
    this.#words.forEach((element, i) => {
      const sung = i < word ? 1 : i === word ? share : 0;
      const state = i < word ? 'sung' : i === word ? 'now' : '';
      if (element.dataset.state !== state) element.dataset.state = state;
      element.style.setProperty('--sung', sung.toFixed(3));
    });
  }

  /** @param {import('../models/lyrics.js').Lyrics} lyrics @param {number} current */
  #build(lyrics, current) {
    this.#words = [];
    const from = Math.max(0, current - around);
    const to = Math.min(lyrics.lines.length, Math.max(current, 0) + around + 1);
    const elements = lyrics.lines.slice(from, to).map((line, i) => {
      const element = document.createElement('p');
      element.dir = 'auto';
      const isCurrent = from + i === current;
      element.className = isCurrent ? 'lyric current' : from + i < current ? 'lyric past' : 'lyric';
      if (!isCurrent) {
        element.textContent = line.words.map(({ text }) => text).join('');
        return element;
      }
      for (const { text } of line.words) {
        const word = document.createElement('span');
        word.className = 'word';
        word.dataset.text = text;
        word.dataset.testid = 'word';
        word.textContent = text;
        element.append(word);
        this.#words.push(word);
      }
      return element;
    });
    this.replaceChildren(...elements);
  }
}

customElements.define('ov-lyrics', LyricsView);
