// What a trial printed. It is a text, whatever it looks like.
import { html, nothing } from '../lit-html.js';
import { address, query, text } from './api.js';
import { number } from './format.js';

/** Control characters become visible; colours of a terminal are left out. */
function printable(words) {
  return words
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => (c === '\r' ? '' : '\ufffd'))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Both tails of a trial. */
export async function outputs(namespace, run, trial, signal) {
  const of = async (stream) => (trial[stream] ? printable(await text(query(address(
    'namespaces', namespace, 'runs', run, 'tasks', `${trial.task}`, 'trials', `${trial.trial}`, stream,
  ), { copy: trial.copy }), signal)) : '');
  const [stdout, stderr] = await Promise.all([of('stdout'), of('stderr')]);
  return { stdout, stderr };
}

/** A block of text that can be reached and scrolled by keys. */
export const block = (words, label) => html`<pre class="output" tabindex="0" role="region"
  aria-label=${label}>${words}</pre>`;

/** Both tails, shown. */
export function shown(trial, printed) {
  return html`
    ${trial.message ? html`<p class="message">${printable(trial.message)}</p>` : nothing}
    ${printed?.stderr ? html`<h4>stderr</h4>${block(printed.stderr, 'stderr')}` : nothing}
    ${printed?.stdout ? html`<h4>stdout</h4>${block(printed.stdout, 'stdout')}` : nothing}
    ${printed && !printed.stdout && !printed.stderr ? html`<p class="dim">No output is kept.</p>` : nothing}
    ${trial.outputCut ? html`<p class="dim">Output was left out for want of room.</p>` : nothing}
    ${trial.resultBytes ? html`<p class="dim">Its result of ${number(trial.resultBytes)} bytes was too large to be
      kept.</p>` : nothing}`;
}

export { printable };
