import { html } from '../lib/html.js';
import { formatTime } from '../lib/i18n.js';

const [width, height] = [240, 56];

/**
 * A line of an hour's figures with what they come to; who cannot see the line is told now and most.
 * @param {{label: string, values: number[], times: number[], show: (value: number) => string, said: (now: string, most: string) => string, full?: number}} what
 *   `full`: what fills the height at least
 */
export function chart({ label, values, times, show, said, full = 0 }) {
  const now = values.at(-1) ?? 0;
  const most = Math.max(...values, 0);
  const top = Math.max(most, full);
  const span = Math.max(1, (times.at(-1) ?? 0) - times[0]);
  const points = values.map((value, index) => {
    const x = times.length > 1 ? ((times[index] - times[0]) / span) * width : width;
    const y = height - 2 - (top > 0 ? value / top : 0) * (height - 6);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  if (points.length === 1) points.unshift(`0,${points[0].split(',')[1]}`);
  return html`<figure class="console-chart" data-testid="console-chart">
    <figcaption><span class="soft">${label}</span><strong class="numbers">${show(now)}</strong></figcaption>
    <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${said(show(now), show(most))}>
      <polyline points=${points.join(' ')} />
    </svg>
    <p class="soft small numbers">${formatTime(times[0])}<span>${formatTime(times.at(-1) ?? 0)}</span></p>
  </figure>`;
}
