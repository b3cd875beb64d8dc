import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pageShape } from '../../lib/page-shape.js';
import { announceMicrophone } from '../devices.js';
import { openAsking } from '../live/ask.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/salon-state.js').RequestView} RequestView */

/** Who asks for a seat: a tray beside the stage that takes no focus by itself; and the invitation to me. */
export class Requests {
  /** @param {SalonContext} context */
  constructor(context) {
    this.context = context;
    let waiting = 0;
    context.salon.state.subscribe(
      ({ requests }) => {
        // The last one answered: the tray has done its work.
        if (waiting > 0 && requests.length === 0) this.close();
        waiting = requests.length;
      },
      { signal: context.signal },
    );
  }

  get opened() {
    return this.context.opened.get().tray && this.context.state.me.canManage;
  }

  toggle() {
    if (this.context.opened.get().tray) return this.context.open({ tray: false });
    this.context.open({ chat: false });
    this.context.enter('tray');
  }

  /** @returns {boolean} whether it was open */
  close() {
    const was = this.opened;
    this.context.open({ tray: false });
    return was;
  }

  /**
   * A new request: on wide screens there is room to show it at once.
   * @param {RequestView} request
   */
  arrived(request) {
    const { app, salon } = this.context;
    if (this.opened) return;
    if (pageShape.get() === 'wide') {
      this.context.open({ tray: true });
      return;
    }
    app.toasts.show({
      text: t('requests.asks', { name: request.user.name }),
      icon: 'hand',
      label: t('requests.accept'),
      action: () => void this.context.act(() => salon.requests.acceptRequest(request.id)),
      testid: 'request-toast',
    });
  }

  tray() {
    const { requests } = this.context.state;
    if (!this.opened) return null;
    return html`<section class="tray" tabindex="-1" aria-label=${t('requests.title')} data-testid="request-tray">
      <header>
        <h3>${t('requests.title')}</h3>
        ${
          requests.length > 1 &&
          html`<button class="button compact" type="button" data-testid="accept-next" @click=${() => void this.context.act(() => this.context.salon.requests.acceptNext())}>
            ${icon('check')}${t('requests.acceptNext')}</button>`
        }
        <button class="icon-button" type="button" aria-label=${t('common.close')} @click=${() => this.close()}>${icon('x')}</button>
      </header>
      ${
        requests.length === 0
          ? html`<p class="soft">${t('requests.none')}</p>`
          : html`<ul>${requests.map(request => this.#row(request))}</ul>`
      }
    </section>`;
  }

  /** @param {RequestView} request */
  #row(request) {
    const { salon } = this.context;
    const declining = this.context.opened.get().declining === request.id;
    const decline = (/** @type {string} */ reason) => {
      this.context.open({ declining: null });
      void this.context.act(() => salon.requests.rejectRequest(request.id, reason));
    };
    return keyed(
      request.id,
      html`<li class="request" data-testid="request" data-user=${request.user.id} ?data-later=${request.later} aria-busy=${request.pending}>
        ${
          request.still
            ? html`<img class="request-still" data-testid="request-still" alt=${t('requests.still', { name: request.user.name })} src=${request.still} />`
            : avatar(request.user, 's40')
        }
        <div class="request-who">
          <span class="clip" dir="auto">${request.user.name}</span>
          ${request.words && html`<span class="request-words" dir="auto" data-testid="request-words">${request.words}</span>`}
          <span class="soft small">${request.seat !== null && `${t('seat.number', { seat: request.seat + 1 })} · `}${t('requests.waits')} <ov-since
            .now=${this.context.now} .since=${request.since}></ov-since>${request.later && ` · ${t('requests.putOff')}`}</span>
        </div>
        ${
          declining
            ? html`<div class="request-reasons">
                ${['requests.reasonFull', 'requests.reasonLater', 'requests.reasonTopic'].map(
                  key =>
                    html`<button class="chip" type="button" data-testid="reason" @click=${() => decline(t(key))}>${t(key)}</button>`,
                )}
                <button class="chip" type="button" data-testid="reason-none" @click=${() => decline('')}>${t('requests.noReason')}</button>
              </div>`
            : html`<div class="request-buttons">
                <button class="button compact primary" type="button" data-testid="accept" @click=${() => void this.context.act(() => salon.requests.acceptRequest(request.id))}>${t('requests.accept')}</button>
                ${!request.later && html`<button class="button compact" type="button" data-testid="later" @click=${() => salon.requests.postpone(request.id)}>${t('requests.later')}</button>`}
                <button class="button compact danger" type="button" data-testid="decline" @click=${() => this.context.open({ declining: request.id })}>${t('requests.decline')}</button>
              </div>`
        }
      </li>`,
    );
  }

  /** Somebody invites me to a seat. */
  invitation() {
    const { context } = this;
    const { invitation } = context.state;
    if (!invitation) return null;
    const accept = async () => {
      const { live } = context.salon;
      if (live) return openAsking(context, live);
      if (await announceMicrophone(context.app, context.signal))
        await context.act(() => context.salon.requests.acceptInvitation());
    };
    return html`<section class="invitation" role="alertdialog" aria-label=${t('invitation.title')} data-testid="invitation" aria-busy=${invitation.pending}>
      ${avatar(invitation.from, 's48')}
      <div class="request-who">
        <strong>${t('invitation.title')}</strong>
        <span class="soft small">${t('invitation.text', { name: invitation.from.name })} ${
          invitation.until !== null &&
          html`<ov-countdown .now=${context.now} .until=${invitation.until}></ov-countdown>`
        }</span>
      </div>
      <div class="request-buttons">
        <button class="button compact primary" type="button" data-testid="invitation-accept" @click=${() => void accept()}>${t('invitation.accept')}</button>
        <button class="button compact" type="button" data-testid="invitation-decline" @click=${() => void context.act(() => context.salon.requests.rejectInvitation())}>${t('common.notNow')}</button>
      </div>
    </section>`;
  }
}
