// What a trial printed. It is a text, whatever it looks like.
import { html, nothing } from '../lit-html.js';
import { address, blob, query, text } from './api.js';
import { number } from './format.js';

/** Control characters become visible; colours of a terminal are left out. */
function printable(words) {
  return words
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => (c === '\r' ? '' : '\ufffd'))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Both tails of a trial, and the addresses of its streams. */
export async function outputs(namespace, run, trial, signal) {
  const path = (stream) => address(
    'namespaces', namespace, 'runs', run, 'tasks', `${trial.task}`, 'trials', `${trial.trial}`, stream,
  );
  const of = async (stream) => (trial[stream] ? printable(await text(
    query(path(stream), { copy: trial.copy }), signal,
  )) : '');
  const [stdout, stderr] = await Promise.all([of('stdout'), of('stderr')]);
  return { stdout, stderr, path };
}

/** Saves all of a stream as a file: a link would ask without the token. */
const saves = (path, name) => async ({ currentTarget: button }) => {
  const said = button.nextElementSibling;
  button.disabled = true;
  said.textContent = '';
  try {
    const url = URL.createObjectURL(await blob(path));
    Object.assign(document.createElement('a'), { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    said.textContent = error.message;
  }
  button.disabled = false;
};

/** The way to all of a stream, where the run keeps it. */
const whole = (trial, stream, printed) => {
  const kept = trial[`${stream}FullBytes`];
  return kept && printed ? html`<p><button type="button" @click=${saves(
    query(printed.path(stream), { copy: trial.copy, full: true }),
    `task-${trial.task}-trial-${trial.trial}.${stream}.txt`,
  )}>Save all of ${stream}, ${number(kept)} bytes</button> <span class="dim" role="status"></span></p>` : nothing;
};

/** A block of text that can be reached and scrolled by keys. */
export const block = (words, label) => html`<pre class="output" tabindex="0" role="region"
  aria-label=${label}>${words}</pre>`;

/** Both tails, shown. */
export function shown(trial, printed) {
  return html`
    ${trial.message ? html`<p class="message">${printable(trial.message)}</p>` : nothing}
    ${printed?.stderr ? html`<h4>stderr</h4>${block(printed.stderr, 'stderr')}` : nothing}
    ${whole(trial, 'stderr', printed)}
    ${printed?.stdout ? html`<h4>stdout</h4>${block(printed.stdout, 'stdout')}` : nothing}
    ${whole(trial, 'stdout', printed)}
    ${printed && !printed.stdout && !printed.stderr ? html`<p class="dim">No output is kept.</p>` : nothing}
    ${trial.outputPending ? html`<p class="dim">Some of its output or its result is on its way.</p>` : nothing}
    ${trial.outputLost ? html`<p class="dim">Some of its output or its result was lost.</p>` : nothing}
    ${trial.outputCut ? html`<p class="dim">Output was left out for want of room.</p>` : nothing}
    ${trial.resultBytes ? html`<p class="dim">Its result of ${number(trial.resultBytes)} bytes was too large to be
      kept.</p>` : nothing}`;
}

export { printable };
