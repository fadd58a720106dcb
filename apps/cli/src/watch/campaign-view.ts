import type { DeviceRecord, ProtocolRunRecord } from '@lab/api-client';
import { isTerminal } from '@lab/contracts/vocabulary';
import { faint, glyphOf, heading, paintState, progressBar } from './style.js';
import type { CampaignWithRuns } from './work.js';

/** The current state of a campaign as lines: progress, runs with their tasks, devices with their holders. */
export function campaignView(campaign: CampaignWithRuns, devices: readonly DeviceRecord[]): string[] {
  const finished = campaign.protocol_runs.filter((run) => isTerminal(run.state)).length;
  const fraction = campaignProgress(campaign);
  return [
    '',
    `${heading(campaign.name)}  ${campaign.protocol}  ${paintState(campaign.state)}`,
    `${progressBar(fraction, 40)} ${finished}/${campaign.max_protocol_runs} runs`,
    '',
    ...campaign.protocol_runs.map(runLine),
    '',
    ...devices.map(deviceLine),
    '',
  ];
}

/** Share of the campaign's tasks that have ended, 0 to 1. The tasks of runs that have not started count too. */
export function campaignProgress(campaign: CampaignWithRuns): number {
  const tasksPerRun = Math.max(1, ...campaign.protocol_runs.map((run) => run.tasks.length));
  const ended = campaign.protocol_runs
    .flatMap((run) => run.tasks)
    .filter((task) => isTerminal(task.state)).length;
  return ended / (tasksPerRun * campaign.max_protocol_runs);
}

function runLine(run: ProtocolRunRecord): string {
  const active = run.tasks.filter((task) => task.state === 'running').map((task) => task.name);
  const waiting = run.tasks.filter((task) => task.state === 'queued').map((task) => task.name);
  const note =
    active.length > 0
      ? active.join(', ')
      : waiting.length > 0 && !isTerminal(run.state)
        ? faint(`waits for ${waiting.join(', ')}`)
        : (run.reason?.message ?? '');
  const tasks = run.tasks.map((task) => glyphOf(task.state)).join(' ');
  return `  ${run.name.padEnd(24)} ${tasks}  ${note}`;
}

function deviceLine(device: DeviceRecord): string {
  const holder = device.held_by ?? faint('free');
  const trouble = device.detail === null ? '' : `  ${device.detail}`;
  return `  ${`${device.lab_name}.${device.name}`.padEnd(34)} ${device.state.padEnd(12)} ${holder}${trouble}`;
}
