// Commands for the next act on a run. The page itself changes nothing: whoever runs them needs the rights.
import { html, nothing } from './html.js';

const KINDS = { TaskSet: 'tset', Task: 'qtask', MapReduceJob: 'mrj' };
// A name of a record is a tenant's text; only one that Kubernetes would take goes into a command.
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The commands of a run, each with a button that copies it. */
export function commands(namespace, run) {
  const kind = KINDS[run.kind];
  if (!kind || !NAME.test(run.name) || !NAME.test(namespace)) return nothing;
  const verbs = [
    ...(run.status ? [] : [run.live?.status === 'suspended' ? ['Resume', 'resume'] : ['Suspend', 'suspend'], ['Cancel', 'cancel']]),
    ...(run.status && run.status !== 'succeeded' && kind === 'tset' ? [['Run again what did not pass', 'retry']] : []),
  ];
  const command = (verb) => `kubectl quiver -n ${namespace} ${verb} ${verb === 'retry' ? run.name : `${kind}/${run.name}`}`;
  const copy = async ({ currentTarget: button }, words) => {
    const said = button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(words);
      said.textContent = 'copied';
    } catch {
      said.textContent = 'the browser refuses; mark and copy it';
    }
  };
  return verbs.length ? html`<dl class="commands">${verbs.map(([words, verb]) => html`<div><dt>${words}</dt>
    <dd><code>${command(verb)}</code> <button @click=${(event) => copy(event, command(verb))}
      aria-label=${`Copy: ${words}`}>Copy</button> <span class="dim" role="status"></span></dd></div>`)}</dl>` : nothing;
}
