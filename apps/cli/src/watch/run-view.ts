import type { ProtocolRunRecord, TaskRunRecord } from '@lab/api-client';
import { isTerminal } from '@lab/contracts/vocabulary';
import { reasonText } from './reason-text.js';
import { faint, glyphOf, heading, paintState, progressBar } from './style.js';

/** The current state of a protocol run as lines: its progress and its tasks. */
export function runView(run: ProtocolRunRecord): string[] {
  const ended = run.tasks.filter((task) => isTerminal(task.state)).length;
  const width = Math.max(0, ...run.tasks.map(({ name }) => name.length));
  return [
    '',
    `${heading(run.name)}  ${run.type}  ${paintState(run.state)}${run.paused_at === null ? '' : ' (paused)'}`,
    `${progressBar(ended / Math.max(1, run.tasks.length), 40)} ${ended}/${run.tasks.length} tasks`,
    '',
    ...run.tasks.map((task) => `  ${glyphOf(task.state)} ${task.name.padEnd(width)}  ${noteOf(task)}`),
    ...(run.reason === null ? [] : ['', run.reason.message]),
    '',
  ];
}

/** The current state of a task as lines. */
export function taskView(task: TaskRunRecord): string[] {
  return [`${glyphOf(task.state)} ${heading(task.name)}  ${task.type}  ${noteOf(task)}`];
}

function noteOf(task: TaskRunRecord): string {
  const devices = Object.values(task.devices).map((device) => device.name);
  const place = devices.length === 0 ? '' : faint(`  on ${devices.join(', ')}`);
  return `${paintState(task.state)}${place}${reasonText(task)}`;
}
