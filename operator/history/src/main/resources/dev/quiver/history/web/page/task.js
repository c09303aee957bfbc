// A task with its trials, and a test over its last runs.
import { html, nothing } from './html.js';
import { address, json } from './api.js';
import { badge, duration, link, number, time } from './format.js';
import { outputs, shown } from './output.js';

const RUNS = 64;

export function taskView(namespace, uid, task, redraw) {
  let run;
  let trials = [];
  const printed = new Map();
  const base = address('namespaces', namespace, 'runs', uid);

  async function load(signal) {
    run = await json(base, signal);
    trials = await json(`${base}/tasks/${encodeURIComponent(task)}/trials`, signal).then((list) => list.items, (error) => {
      if (error.code === 404) return [];
      throw error;
    });
    await Promise.all(trials.map(async (trial) => {
      const key = `${trial.trial}/${trial.copy}`;
      if (!printed.has(key)) printed.set(key, await outputs(namespace, uid, trial, signal));
    }));
  }

  const fact = (name, value) => (value === undefined ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return {
    load,
    live: () => run && !run.status,
    crumbs: () => html`<a href=${link(namespace, 'runs', uid)}>${run?.name ?? uid}</a>`,
    template() {
      if (!run) return html`<p class="empty">Loading…</p>`;
      if (!trials.length) return html`<h1>Task ${task}</h1><p class="empty">No trial of it is on record.</p>`;
      const name = trials[0].name ?? `Task ${task}`;
      return html`<div class="title"><h1>${name}</h1>${badge(trials.at(-1).status)}
          ${run.class && trials[0].name ? html`<a href=${link(namespace, 'tests', run.class, trials[0].name)}>Last runs
            of this test</a>` : nothing}</div>
        ${trials.map((trial) => html`<section class="trial">
          <h2>Trial ${trial.trial} ${badge(trial.status)}</h2>
          <dl class="facts">${fact('Reason', trial.reason)}${fact('Took', duration(trial.runMillis))}
            ${fact('Started', time(trial.startedAt))}${fact('Worker', `${trial.worker}, slot ${trial.slot}`)}
            ${fact('Exit code', trial.exitCode)}${fact('Signal', trial.signal)}
            ${fact('CPU', trial.cpuMillis && duration(trial.cpuMillis))}
            ${fact('Memory', trial.maxRssKib && `${number(Math.round(trial.maxRssKib / 1024))} MiB`)}</dl>
          ${shown(trial, printed.get(`${trial.trial}/${trial.copy}`))}</section>`)}`;
    },
  };
}

export function testView(namespace, class_, name, redraw) {
  let found = [];
  let loaded = false;

  async function load(signal) {
    const path = address('namespaces', namespace, 'classes', class_, 'tests', name);
    try {
      found = (await json(path, signal)).items;
    } catch (error) {
      if (error.code !== 404) throw error;
      found = [];
    }
    loaded = true;
  }

  function chart() {
    const known = found.filter(({ task }) => task).reverse();
    const most = Math.max(1, ...known.map(({ task }) => task.runMillis));
    return html`<svg class="spark" role="img" viewBox="0 0 ${RUNS * 10} 80" preserveAspectRatio="none"
      aria-label="Run times of ${known.length} runs, up to ${duration(most)}; the table has each of them">
      ${known.map(({ task }, i) => {
    const height = Math.max(2, (76 * task.runMillis) / most);
    return html`<svg x=${i * 10} y=${80 - height} width="8" height=${height}><rect class=${task.status}
      width="8" height=${height}></rect></svg>`;
  })}</svg>`;
  }

  /** In how many of its latest runs without a break it failed. */
  function failing(known) {
    const mended = known.findIndex(({ task }) => task.status === 'passed' || task.status === 'pending');
    const times = mended < 0 ? known.length : mended;
    if (times < 2) return nothing;
    return html`<span class="bad">${times === known.length ? `It failed in each of these ${number(times)} runs`
      : `It failed in its latest ${number(times)} runs`}</span>`;
  }

  return {
    load,
    crumbs: () => html`<a href=${link(namespace, 'classes', class_)}>${class_}</a>`,
    template() {
      const known = found.filter(({ task }) => task);
      const hurt = known.filter(({ task }) => task.status !== 'passed' || task.trials > 1).length;
      return html`<div class="title"><h1>${name}</h1>${known.length ? badge(known[0].task.status) : nothing}${failing(known)}</div>
        ${!loaded ? html`<p class="empty">Loading…</p>`
    : !known.length ? html`<p class="empty">The last ${RUNS} runs of ${class_} have no such test.</p>` : html`
        <p class="dim">${number(known.length)} runs of ${class_}; in <span class=${hurt ? 'bad' : ''}>${
      number(hurt)}</span> a trial did not pass.</p>
        ${chart()}
        <div class="scroll" tabindex="0" role="region" aria-label="Runs of this test"><table>
          <thead><tr><th>Run</th><th>State</th><th>Created</th><th class="n hide">Trials</th><th class="n">Took</th>
            <th>Reason</th></tr></thead>
          <tbody>${known.map(({ run, task }) => html`<tr>
            <th scope="row"><a href=${link(namespace, 'runs', run.uid, 'tasks', `${task.task}`)}>${run.name}</a></th>
            <td>${badge(task.status)}</td><td>${time(run.createdAt)}</td><td class="n hide">${task.trials}</td>
            <td class="n">${duration(task.runMillis)}</td><td>${task.reason ?? ''}</td></tr>`)}</tbody></table></div>`}`;
    },
  };
}
