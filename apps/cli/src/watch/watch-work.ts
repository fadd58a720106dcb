import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ProtocolRunRecord, TaskRunRecord } from '@lab/api-client';
import { isTerminal } from '@lab/contracts/vocabulary';
import logUpdate from 'log-update';
import { campaignView } from './campaign-view.js';
import { reasonText } from './reason-text.js';
import { runView, taskView } from './run-view.js';
import { paintState } from './style.js';
import {
  hasEnded,
  readWork,
  type CampaignWithRuns,
  type Work,
  type WorkKind,
  type WorkRecord,
} from './work.js';

/** Milliseconds between two requests for the state of the work. */
const lookMs = 300;

/**
 * Shows work until it ends or waits for a person. A terminal is redrawn in place; other outputs get one line per change.
 *
 * @param signal ends the watching (not the work) when aborted
 * @returns the last state of the work
 */
export async function watchWork<K extends WorkKind>(
  client: ApiClient,
  work: Work & { kind: K },
  output: NodeJS.WriteStream,
  signal?: AbortSignal,
): Promise<WorkRecord & { kind: K }> {
  const print = output.isTTY ? undefined : linePrinter((line) => output.write(`${line}\n`));
  for (;;) {
    const seen = await readWork(client, work, signal);
    if (print !== undefined) print(newsOf(seen));
    else logUpdate((await viewOf(client, seen)).join('\n'));
    if (hasEnded(seen)) {
      if (print === undefined) logUpdate.done();
      return seen;
    }
    await delay(lookMs, undefined, signal === undefined ? {} : { signal });
  }
}

async function viewOf(client: ApiClient, { kind, record }: WorkRecord): Promise<string[]> {
  switch (kind) {
    case 'campaign':
      return campaignView(record, await client.all('/api/devices'));
    case 'protocol':
      return runView(record);
    case 'task':
      return taskView(record);
  }
}

/** A record that gets a line whenever its state changes. */
interface News {
  about: string;
  state: string;
  line: string;
}

function linePrinter(print: (line: string) => void): (news: News[]) => void {
  const states = new Map<string, string>();
  return (news) => {
    for (const { about, state, line } of news) {
      if (states.get(about) === state) continue;
      states.set(about, state);
      print(line);
    }
  };
}

function newsOf({ kind, record }: WorkRecord): News[] {
  switch (kind) {
    case 'campaign':
      return [
        ...record.protocol_runs.flatMap((run) => [
          ...run.tasks.filter(({ state }) => state === 'running').map((task) => newsOfTask(task, run.name)),
          ...(isTerminal(run.state) ? [endOfRun(run, record)] : []),
        ]),
        newsOfWhole(record),
      ];
    case 'protocol':
      return [
        ...record.tasks
          .filter(({ state }) => state !== 'created' && state !== 'queued')
          .map((task) => newsOfTask(task, record.name)),
        newsOfWhole(record),
      ];
    case 'task':
      return [newsOfTask(record, record.protocol_run)];
  }
}

function newsOfTask(task: TaskRunRecord, run: string | null): News {
  const devices = Object.values(task.devices).map((device) => device.name);
  const place = devices.length === 0 || task.state !== 'running' ? '' : `  on ${devices.join(', ')}`;
  const label = run === null ? task.name : `${run}  ${task.name}`;
  return {
    about: label,
    state: task.state,
    line: `${label}  ${paintState(task.state)}${place}${reasonText(task)}`,
  };
}

function endOfRun(run: ProtocolRunRecord, campaign: CampaignWithRuns): News {
  const ended = campaign.protocol_runs.filter((each) => isTerminal(each.state)).length;
  const progress = `(${ended}/${campaign.max_protocol_runs} runs)`;
  return {
    about: run.name,
    state: run.state,
    line: `${run.name}  ${paintState(run.state)}${reasonText(run)}  ${progress}`,
  };
}

function newsOfWhole(record: ProtocolRunRecord | CampaignWithRuns): News {
  const paused = record.paused_at === null ? '' : ' (paused)';
  const state = `${record.state}${paused}`;
  return {
    about: '',
    state,
    line: `${record.name}  ${paintState(record.state)}${paused}${reasonText(record)}`,
  };
}
