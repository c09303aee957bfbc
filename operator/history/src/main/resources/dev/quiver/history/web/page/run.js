// A run: how far it is, who worked when, and why tasks failed.
import { html, nothing } from './html.js';
import { address, json, placed, query, text } from './api.js';
import { counts } from './columns.js';
import { badge, duration, elapsed, link, number, percent, plural, runState, time } from './format.js';
import { growing } from './growing.js';
import { Lanes } from './lanes.js';
import { block, outputs, printable, resultOf, shown } from './output.js';
import { outcome } from './runs.js';
import { commands } from './commands.js';
import { taskList } from './tasks.js';

const DIFFERENCES = ['newly-failed', 'still-failed', 'fixed', 'slower', 'faster', 'added', 'gone'];
const NONE = {
  'newly-failed': 'No task fails that passed then.', 'still-failed': 'No task failed in both.', fixed: 'No task passes that failed then.', slower: 'No task is slower.',
  faster: 'No task is faster.', added: 'No task is new.', gone: 'No task is gone.',
};
const PASSED = 0;
const ESTIMATE = 10_000;
const CREW = 10_000;
const AROUND = 10_000;
const COMPOSITES = ['chain', 'group', 'forEach'];
const LEAVES = ['leaf', 'iterator'];

/** `given` has what the address says beside the run: part of the time, order and state of the tasks. */
export function runView(namespace, uid, given, redraw) {
  const base = address('namespaces', namespace, 'runs', uid);
  let run;
  let data;
  let failures = [];
  let workers = [];
  let moreWorkers = false;
  let roster;
  let returned;
  let estimate = { asked: 0 };
  let earlier = [];
  let signal;
  const opened = new Map();
  const logs = new Map();
  let runLog;
  const levels = new Map();
  const compared = { with: '', what: 'newly-failed', result: undefined };
  const timeline = growing(base);
  const told = { tasks: '', failures: '', crew: 0 };
  const lanes = new Lanes({
    redraw,
    fetch: (view) => timeline.view(signal, view),
    open: (item, its) => { location.hash = link(namespace, 'runs', uid, 'tasks', `${its.task[item]}`); },
    name: async (item, its) => (await trialsOf(its.task[item])).at(0)?.name,
    given,
  });
  const tasks = taskList(base, namespace, uid, given, (change) => {
    location.hash = query(link(namespace, 'runs', uid), { ...placed(), ...change });
  });

  async function load(its) {
    signal = its;
    run = await json(base, signal);
    const flat = ['TaskSet', 'Queue'].includes(run.kind) && levels.get(-1)?.length === 0;
    const [picture, root, now] = await Promise.all([
      // At its end all of it is read once more: a trial may have been corrected.
      run.status ? timeline.view(signal) : timeline.grown(signal),
      // Only trees have nodes.
      flat ? { items: levels.get(-1) } : json(query(`${base}/nodes`, { limit: 200 }), signal),
      // A Redis that does not answer has no roster, and the record is shown all the same.
      run.status ? undefined : json(query(`${base}/roster`, { limit: 100 }), signal).catch(() => undefined),
    ]);
    await follow(picture);
    roster = now;
    if (run.status) estimate = { asked: 0 };
    else if (run.class && Date.now() - estimate.asked > ESTIMATE) {
      estimate = { ...await json(`${base}/estimate`, signal), asked: Date.now() };
    }
    levels.set(-1, root.items);
    // The one root says little: its children are the phases of a job, the branches of a tree.
    const [only, another] = root.items;
    const open = [...levels.keys()].filter((each) => each >= 0);
    if (only && !another && !levels.has(only.ordinal)) open.push(only.ordinal);
    await Promise.all(open.map(async (each) => levels.set(each, (await children(each)).items)));
    if (run.status === 'succeeded' && only && !another && !returned) await findResult(only);
    if (run.class && !earlier.length) {
      const { items } = await json(query(address('namespaces', namespace, 'runs'), { class: run.class, limit: 30 }), signal);
      earlier = items.filter((each) => each.createdAt < run.createdAt).slice(0, 10);
      if (earlier.length && run.status) await compare(earlier[0].uid, compared.what);
    }
    data = picture;
    lanes.show(data, new Map(workers.map((each) => [each.id, each.pod ?? each.session])));
  }

  /** What follows from the trials is asked for again once these are others; the workers come again after a while. */
  async function follow(picture) {
    const kinds = picture.cells ? undefined : counts(picture);
    const now = {
      tasks: `${run.status} ${picture.trials} ${kinds}`,
      failures: `${run.status} ${kinds ? kinds.slice(PASSED + 1) : picture.trials}`,
    };
    const ids = new Set(workers.map((each) => each.id));
    const stale = run.status || Date.now() - told.crew > CREW || (!moreWorkers && picture.worker.some((id) => !ids.has(id)));
    const [groups, crew] = await Promise.all([
      now.failures === told.failures ? undefined : json(query(`${base}/failures`, { group: 'message' }), signal),
      stale ? json(query(`${base}/workers`, { limit: 1000 }), signal) : undefined,
      now.tasks === told.tasks ? undefined : tasks.load(signal),
    ]);
    if (groups) failures = groups.items;
    if (crew) {
      workers = crew.items;
      moreWorkers = crew.continue !== undefined;
      told.crew = Date.now();
    }
    Object.assign(told, now);
  }

  /** The result of a tree is that of its last leaf: a chain gives its last child's, what runs at the end gives none. */
  async function findResult(root) {
    let node = root;
    for (let level = 0; node?.kind === 'chain' && level < 16; level++) {
      const { items } = await children(node.ordinal);
      node = items.at(level === 0 && run.spec?.finally ? -2 : -1);
    }
    if (!LEAVES.includes(node?.kind)) return;
    const trials = await trialsOf(node.ordinal);
    const trial = trials.findLast((each) => each.status === 'passed');
    if (trial) returned = { trial, printed: await outputs(namespace, uid, { ...trial, stdout: false, stderr: false }, signal) };
  }

  /** None where its record has none yet. */
  const trialsOf = (its) => json(`${base}/tasks/${its}/trials`, signal).then((list) => list.items, (error) => {
    if (error.code === 404) return [];
    throw error;
  });

  async function compare(with_, what) {
    Object.assign(compared, { with: with_, what });
    compared.result = await json(query(`${base}/compare`, { with: with_, what, limit: 20 }), signal);
    redraw();
  }

  const keyOf = ({ reason, message }) => `${reason}\n${message ?? ''}`;

  async function openFailure(group) {
    const key = keyOf(group);
    if (opened.has(key)) return;
    opened.set(key, {});
    const trials = (await json(`${base}/tasks/${group.firstTask}/trials`, signal)).items;
    const trial = trials.findLast((each) => (each.reason ?? '') === group.reason) ?? trials.at(-1);
    const [printed, tasks] = await Promise.all([
      outputs(namespace, uid, trial, signal),
      json(query(`${base}/tasks`, { status: trial.status, limit: 500 }), signal),
    ]);
    const known = new Map(tasks.items.map((each) => [each.task, each]));
    opened.set(key, {
      trial, printed, tasks: group.firstTasks.map((each) => known.get(each) ?? { task: each }),
    });
    redraw();
  }

  async function openLog(id) {
    if (logs.has(id)) return;
    logs.set(id, '');
    logs.set(id, printable(await text(`${base}/workers/${id}/log`, signal)));
    redraw();
  }

  async function openRunLog() {
    runLog = printable(await text(`${base}/log`, signal));
    redraw();
  }

  const children = (parent) => json(query(`${base}/nodes`, { parent, limit: 200 }), signal);

  async function openNode(ordinal) {
    if (levels.has(ordinal)) return;
    levels.set(ordinal, undefined);
    levels.set(ordinal, (await children(ordinal)).items);
    redraw();
  }

  const onOpen = (load_) => (event) => { if (event.target.open) load_().catch(() => {}); };
  const task = (n, name) => html`<a href=${link(namespace, 'runs', uid, 'tasks', `${n}`)}>${name ?? `Task ${number(n)}`}</a>`;
  const fact = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

  /** A live run has its numbers from Redis, without it from its recorded trials; an ended one from its end. */
  function figures() {
    if (run.status) return run;
    if (run.live) {
      const { tasks, succeededCount, failedCount, trials, lost } = run.live;
      return { ...run, tasks, succeededCount, failedCount, trials, lost };
    }
    const failed = failures.reduce((sum, each) => sum + each.tasks, 0);
    return { ...run, failedCount: failed, succeededCount: data.cells ? undefined : counts(data)[PASSED], trials: data.trials };
  }

  /** What else the pool did meanwhile; while the run goes on, lately. */
  function pool() {
    if (!run.status || !run.startedAt) return link(namespace, 'pools', run.pool);
    const [from, to] = [Date.parse(run.startedAt), Date.parse(run.finishedAt)];
    const around = Math.max(AROUND, Math.round((to - from) / 10));
    return link(namespace, 'pools', run.pool, `${from - around}`, `${to + around}`);
  }

  /** How far the estimate may be trusted. */
  function remarks() {
    return [
      ...(estimate.usualError === undefined ? [] : [`usually off by up to ${percent(estimate.usualError)}`]),
      ...(estimate.unknown ? [`${plural(estimate.unknown, 'task')} new`] : []),
    ];
  }

  function summary(fresh) {
    const now = figures();
    const done = (now.succeededCount ?? 0) + (now.failedCount ?? 0) + (now.pendingCount ?? 0);
    const took = elapsed({ ...run, startedAt: run.startedAt ?? (data.n ? new Date(data.first).toISOString() : undefined) });
    const left = !run.status && done > 0 && now.tasks > done ? (took / done) * (now.tasks - done) : undefined;
    const age = Math.round((Date.now() - fresh) / 1000);
    return html`
      <div class="title"><h1>${run.name}</h1>${badge(runState(run))}
        ${run.reason ? html`<span class="dim">${run.reason}</span>` : nothing}
        ${run.status || !fresh ? nothing : html`<span class="dim live">${age < 4 ? 'live' : `${age} s old`}</span>`}
        <span class="exports"><a href=${`${base}/junit.xml`} download>JUnit</a><a href=${`${base}/trials.csv`}
          download>CSV</a><a href=${`${base}/trials.ndjson`} download>NDJSON</a><a href=${`${base}/results.zip`}
          download>Results</a></span></div>
      ${run.message ? html`<p class="message">${printable(run.message)}</p>` : nothing}
      ${outcome(now)}
      ${commands(namespace, run)}
      <dl class="facts">
        ${fact('Tasks', html`${number(done)} <span class="dim">of ${number(now.tasks)}</span>`)}
        ${fact('Failed', html`<span class=${now.failedCount ? 'bad' : ''}>${number(now.failedCount)}</span>`)}
        ${now.pendingCount ? fact('Pending', number(now.pendingCount)) : nothing}
        ${run.live?.running === undefined ? nothing : html`${fact('Running', number(run.live.running))}${
    fact('Waiting', number(run.live.queued))}`}
        ${fact('Trials', html`${number(now.trials)}${run.live ? html` <span class="dim">${number(data.trials)}
          recorded</span>` : nothing}`)}
        ${now.lost ? fact('Lost', number(now.lost)) : nothing}
        ${fact('Took', duration(took))}
        ${left === undefined ? nothing : fact('Left, at this pace', duration(left))}
        ${estimate.leftMillis === undefined ? nothing : fact('Left, by earlier runs', html`${
    duration(Math.max(0, estimate.leftMillis - (Date.now() - estimate.asked)))} <span class="dim">${
    remarks().join(' · ')}</span>`)}
        ${took > 0 && done ? fact('Pace', `${number(Math.round((done * 10_000) / took) / 10)}/s`) : nothing}
        ${fact('Workers', `${number(workers.length)}${moreWorkers ? '+' : ''}`)}
        ${fact('Started', time(run.startedAt ?? (data.trials ? new Date(data.first).toISOString() : undefined)))}
        ${run.pool ? fact('Pool', html`<a href=${pool()}>${run.pool}</a>`) : nothing}
        ${run.class ? fact('Class', html`<a href=${link(namespace, 'classes', run.class)}>${run.class}</a>`) : nothing}
        ${run.notRecorded ? fact('Not recorded', number(run.notRecorded)) : nothing}
      </dl>
      ${run.status || run.live ? nothing : html`<p class="notice">Redis has no figures of this run, or does not answer:
        these are the record's.</p>`}
      ${run.live?.status === 'suspended' ? html`<p class="notice">The run is suspended: nothing is given out.</p>` : nothing}
      ${run.rewound ? html`<p class="notice">Redis went back during this run: some trials may be missing.</p>` : nothing}`;
  }

  function logSection() {
    return html`<section class="log"><details @toggle=${onOpen(openRunLog)}><summary>Log of the run</summary>
      ${runLog === undefined ? html`<p class="dim">Loading…</p>` : block(runLog, 'Log of the run')}</details></section>`;
  }

  function failureSection() {
    return html`<section class="failures"><h2>Failures <small>by reason and message</small></h2>
      ${failures.length ? failures.slice(0, 50).map((group, i) => {
    const it = opened.get(keyOf(group));
    return html`<details ?open=${i === 0} @toggle=${onOpen(() => openFailure(group))}>
          <summary><span class="reason">${group.reason || 'no reason'}</span>
            <span class="n">${plural(group.tasks, 'task')}</span>
            <span class="first">${printable(group.message ?? '')}</span></summary>
          ${it?.trial ? html`<p>${task(group.firstTask, it.trial.name)}</p>${shown(it.trial, it.printed)}
            ${it.tasks.length > 1 ? html`<h4>${group.tasks > it.tasks.length ? `The first ${it.tasks.length}` : 'All'}</h4>
            <ul class="plain columns">${it.tasks.map((each) => html`<li>${task(each.task, each.name)}
              ${each.runMillis === undefined ? nothing : html`<small>${duration(each.runMillis)}</small>`}</li>`)}</ul>` : nothing}`
    : html`<p class="dim">Loading…</p>`}</details>`;
  }) : html`<p class="dim">${run.status ? 'No task failed.' : 'No task has failed yet.'}</p>`}</section>`;
  }

  function comparison() {
    if (!earlier.length) return nothing;
    const { result } = compared;
    const change = (value) => compare(value, compared.what).catch(() => {});
    return html`<section><div class="heading"><h2>Compared</h2>
        <label>with <select @change=${(event) => change(event.target.value)}>
          ${compared.with ? nothing : html`<option value="">choose</option>`}
          ${earlier.map((each) => html`<option value=${each.uid} ?selected=${each.uid === compared.with}>${each.name},
            ${new Date(each.createdAt).toLocaleString()}</option>`)}</select></label></div>
      ${result ? html`<div class="tabs" role="group" aria-label="Differences">${DIFFERENCES.map((what) => html`
        <button aria-pressed=${what === compared.what} @click=${() => compare(compared.with, what).catch(() => {})}>
          ${what.replace('-', ' ')} <b class=${what.endsWith('failed') && result.counts[what] ? 'bad' : ''}>${number(result.counts[what])}</b></button>`)}</div>
        ${result.items.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Differences"><table>
          <thead><tr><th>Task</th><th>Then</th><th>Now</th><th class="n">Then</th><th class="n">Now</th></tr></thead>
          <tbody>${result.items.map((each) => html`<tr><th scope="row">${compared.what === 'gone'
    ? each.name ?? each.task : task(each.task, each.name)}</th>
            <td>${each.withStatus ? badge(each.withStatus) : '–'}</td><td>${each.status ? badge(each.status) : '–'}</td>
            <td class="n">${duration(each.withRunMillis)}</td><td class="n">${duration(each.runMillis)}</td></tr>`)}
          </tbody></table></div>` : html`<p class="dim">${NONE[compared.what]}</p>`}` : nothing}</section>`;
  }

  function workerSection() {
    const files = workers.some((each) => each.rsyncFinishedAt);
    const setUp = workers.some((each) => each.setupFinishedAt);
    return html`<section><h2>Workers <small>${number(workers.length)}${moreWorkers ? '+' : ''}</small></h2>
      ${workers.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Workers"><table>
        <thead><tr><th>Pod</th><th>Node</th><th class="n">Slots</th>${files ? html`<th class="n">Files</th>` : nothing}
          ${setUp ? html`<th class="n">Set-up</th>` : nothing}<th>Ended</th><th>Log</th></tr></thead>
        <tbody>${workers.slice(0, 200).map((each) => html`<tr><th scope="row"><a href=${link(namespace, 'runs', uid, 'workers', `${each.id}`)}>${
  each.pod ?? each.session}</a></th>
          <td>${each.node ?? '–'}</td><td class="n">${number(each.slots)}</td>
          ${files ? html`<td class="n">${duration(Date.parse(each.rsyncFinishedAt) - Date.parse(each.startedAt))}</td>` : nothing}
          ${setUp ? html`<td class="n">${duration(Date.parse(each.setupFinishedAt)
            - Date.parse(each.rsyncFinishedAt ?? each.startedAt))}</td>` : nothing}
          <td>${each.ended ?? '–'}</td>
          <td>${each.log ? html`<details @toggle=${onOpen(() => openLog(each.id))}><summary>Log</summary>
            ${block(logs.get(each.id) ?? '', 'Log')}</details>` : '–'}</td></tr>`)}</tbody></table></div>`
    : html`<p class="dim">No worker has joined yet.</p>`}</section>`;
  }

  /** Who has what of the run at this moment. */
  function rosterSection() {
    if (run.status || !roster || run.kind === 'Queue') return nothing;
    return html`<section class="roster"><h2>At work <small>${plural(roster.items.length, 'worker')}${
  roster.continue ? ' and more' : ''}</small></h2>
      ${roster.items.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="At work"><table>
        <thead><tr><th>Worker</th><th class="hide">Node</th><th class="n">Busy slots</th><th>Tasks, by slot</th>
          <th class="n">Last sign of life</th></tr></thead>
        <tbody>${roster.items.map((each) => html`<tr><th scope="row">${each.pod ?? each.session}${
  each.draining ? html` <small>draining</small>` : nothing}</th>
          <td class="hide">${each.node ?? '–'}</td>
          <td class="n">${number(each.busySlots)} <span class="dim">of ${number(each.slots)}</span></td>
          <td>${each.tasks.slice(0, 64).map((held) => html`<span class="held"><small>${held.slot ?? 'waits'}</small>
            ${task(held.task, held.name)}</span> `)}</td>
          <td class="n">${each.lastHeartbeatAt ? html`${duration(Math.max(0, Date.parse(roster.at) - Date.parse(each.lastHeartbeatAt)))}
            <span class="dim">ago</span>` : '–'}</td></tr>`)}</tbody></table></div>`
    : html`<p class="dim">No worker has a task of it now.</p>`}</section>`;
  }

  function tree(parent) {
    const nodes = levels.get(parent);
    const open = parent === -1 && nodes?.length === 1;
    if (!nodes) return html`<p class="dim">Loading…</p>`;
    return html`<ul class="tree">${nodes.map((node) => {
      const states = Object.entries(node.children);
      const opens = states.length > 0 || COMPOSITES.includes(node.kind);
      const name = printable(node.name || `${node.kind} ${node.ordinal}`);
      const words = html`${node.state || !run.status ? badge(node.state) : nothing}
        <span>${LEAVES.includes(node.kind) ? task(node.ordinal, name) : name}</span>
        <small>${node.kind}${node.n ? ` · ${number(node.n)}` : ''}${
  states.map(([state, n], i) => html`${i ? ', ' : ' · '}<span class=${state === 'failed' ? 'bad' : ''}>${number(n)} ${
    state === 'notRun' ? 'not run' : state}</span>`)}</small>`;
      return html`<li>${opens ? html`<details ?open=${open} @toggle=${onOpen(() => openNode(node.ordinal))}>
        <summary>${words}</summary>${tree(node.ordinal)}</details>` : html`<div>${words}</div>`}</li>`;
    })}</ul>`;
  }

  return {
    load,
    live: () => run && !run.status,
    events: () => `${base}/events`,
    crumbs: () => html`<span>${run?.name ?? ''}</span>`,
    close: () => lanes.close(),
    template({ fresh }) {
      if (!run || !data) return html`<p class="empty">Loading…</p>`;
      return html`${summary(fresh)}
        ${failures.length ? failureSection() : nothing}
        ${levels.get(-1)?.length ? html`<section><h2>${run.kind === 'MapReduceJob' ? 'Phases' : 'Nodes'}</h2>${
    tree(-1)}</section>` : nothing}
        ${returned ? html`<section class="result"><h2>Result <small>of ${task(returned.trial.task, returned.trial.name)}</small>
          </h2>${resultOf(returned.trial, returned.printed)}</section>` : nothing}
        ${rosterSection()}
        ${lanes.template('No trial is recorded yet.')}
        ${failures.length ? nothing : failureSection()}
        ${comparison()}
        ${tasks.template(redraw)}
        ${workerSection()}
        ${logSection()}`;
    },
  };
}
