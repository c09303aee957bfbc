// What a trial printed. It is a text, whatever it looks like.
import { html, nothing } from './html.js';
import { address, json, query, save, text } from './api.js';
import { badge, duration, number, size } from './format.js';

/** Colours of a terminal and carriage returns are left out; what else cannot be seen becomes visible in its template. */
const printable = (words) => words.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\r/g, '');

const JSON_TYPE = 'application/json';

/** Both tails of a trial, its result where that is a short text, and the addresses of all three. */
export async function outputs(namespace, run, trial, signal) {
  const path = (part) => address(
    'namespaces', namespace, 'runs', run, 'tasks', `${trial.task}`, 'trials', `${trial.trial}`, part,
  );
  const of = async (kept, part) => (kept ? printable(await text(query(path(part), { copy: trial.copy }), signal)) : '');
  const [stdout, stderr, result] = await Promise.all([
    of(trial.stdout, 'stdout'), of(trial.stderr, 'stderr'), of(trial.resultFormat === JSON_TYPE, 'result'),
  ]);
  const reported = trial.copy === 0 && trial.failed + trial.pending > 0;
  const cases = reported ? (await json(path('cases'), signal)).items : [];
  return { stdout, stderr, result, cases, path };
}

/** A result: a short one as it is, another one as a file, with its size and whether it has come. */
function resultOf(trial, printed) {
  const file = (words) => html`<p>Result: <a class="file" download=${`result-${trial.task}-${trial.trial}`}
    href=${query(printed.path('result'), { copy: trial.copy, full: true })}>${words}</a></p>`;
  if (trial.resultFormat) {
    return printed.result ? block(printed.result, 'Result') : file(trial.resultFormat);
  }
  if (!trial.resultBytes) return html`<p class="dim">Its result is not kept: see <code>history.results</code>.</p>`;
  const its = size(trial.resultBytes);
  switch (trial.resultPack) {
    case 'stored': return file(its);
    case 'pending': return html`<p class="dim">Its result of ${its} ${trial.outputRefused
      ? `has not come, and its worker tries again: ${trial.outputRefused}` : 'is on its way'}.</p>`;
    case 'lost':
      return html`<p class="dim">Its result of ${its} ${trial.outputRefused ? `could not be kept: ${trial.outputRefused}`
    : 'is lost: its worker ended, or history was away for too long'}.</p>`;
    default: return html`<p class="dim">Its result of ${its} was too large to be kept.</p>`;
  }
}

/** Saves all of a stream as a file: a link would ask without the token. */
const saves = (path, name) => async ({ currentTarget: button }) => {
  const said = button.nextElementSibling;
  button.disabled = true;
  said.textContent = '';
  try {
    await save(path, name);
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

/** What a report counted, and those of its cases that did not pass. */
function casesOf(trial, printed) {
  if (trial.failed === undefined) return nothing;
  const listed = printed?.cases ?? [];
  const more = trial.failed + trial.pending - listed.length;
  return html`<p>Report: ${number(trial.passed)} passed, ${number(trial.failed)} failed, ${number(trial.pending)} skipped.</p>
    ${listed.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Cases that did not pass"><table>
      <thead><tr><th>Case</th><th>State</th><th class="n">Took</th><th>Message</th></tr></thead>
      <tbody>${listed.map((each) => html`<tr><th scope="row">${printable(each.name)}</th><td>${badge(each.status)}</td>
        <td class="n">${duration(each.runMillis)}</td><td>${printable(each.message ?? '')}</td></tr>`)}</tbody>
      </table></div>` : nothing}
    ${more > 0 && printed ? html`<p class="dim">${number(more)} more are not kept.</p>` : nothing}`;
}

/** Both tails, shown. */
export function shown(trial, printed) {
  return html`
    ${trial.message ? html`<p class="message">${printable(trial.message)}</p>` : nothing}
    ${casesOf(trial, printed)}
    ${printed?.stderr ? html`<h4>stderr</h4>${block(printed.stderr, 'stderr')}` : nothing}
    ${whole(trial, 'stderr', printed)}
    ${printed?.stdout ? html`<h4>stdout</h4>${block(printed.stdout, 'stdout')}` : nothing}
    ${whole(trial, 'stdout', printed)}
    ${printed && !printed.stdout && !printed.stderr ? html`<p class="dim">No output is kept.</p>` : nothing}
    ${trial.outputPending && trial.resultPack !== 'pending' ? html`<p class="dim">Some of its output or its result is
      on its way${trial.outputRefused ? `: ${trial.outputRefused}` : ''}.</p>` : nothing}
    ${trial.outputLost && trial.resultPack !== 'lost' ? html`<p class="dim">Some of its output or its result was
      lost${trial.outputRefused ? `: ${trial.outputRefused}` : ''}.</p>` : nothing}
    ${trial.outputCut ? html`<p class="dim">Output was left out for want of room.</p>` : nothing}
    ${printed && (trial.resultFormat || trial.resultBytes) ? html`${printed.result ? html`<h4>Result</h4>` : nothing}${
    resultOf(trial, printed)}` : nothing}`;
}

export { printable, resultOf };
