import type { AgentRecord, AttentionRecord, CampaignSummary, DeviceRecord } from '@lab/api-client';
import type { Records } from './records.js';

/** How a thing is, from what alarms to what is calm. Each has a word, a sign and a color. */
export const tones = ['alarm', 'warning', 'busy', 'good', 'idle', 'unknown'] as const;
export type Tone = (typeof tones)[number];

const deviceTones: Readonly<Record<DeviceRecord['state'], Tone>> = {
  idle: 'good',
  busy: 'busy',
  initializing: 'busy',
  restarting: 'busy',
  aborting: 'warning',
  uncertain: 'alarm',
  faulted: 'alarm',
  unreachable: 'unknown',
  disabled: 'idle',
};

/** A device that an emergency stop covers alarms, whatever its state is. */
export function deviceTone({
  state,
  halted,
  out_of_service,
}: Pick<DeviceRecord, 'state' | 'halted' | 'out_of_service'>): Tone {
  if (halted !== null) return 'alarm';
  if (out_of_service !== null) return 'idle';
  return deviceTones[state];
}

const agentTones: Readonly<Record<AgentRecord['state'], Tone>> = {
  online: 'good',
  draining: 'idle',
  suspect: 'warning',
  offline: 'alarm',
  incompatible: 'alarm',
};
export const agentTone = ({ state }: AgentRecord): Tone => agentTones[state];

const workTones: Readonly<Record<string, Tone>> = {
  running: 'busy',
  paused: 'warning',
  completed: 'good',
  failed: 'alarm',
  needs_attention: 'alarm',
};

/** The tone of a campaign, run or task by its state. */
export const workTone = (state: string): Tone => workTones[state] ?? 'idle';

/** What a person sees first. */
export interface Situation {
  /** Questions that work waits for, oldest first. */
  questions: readonly AttentionRecord[];
  /** Warnings: the work goes on without a decision. */
  warnings: readonly AttentionRecord[];
  /** Devices that take no work, worst first. */
  troubledDevices: readonly DeviceRecord[];
  troubledAgents: readonly AgentRecord[];
  /**
   * When a person is needed next, as far as is known, in milliseconds since 1970. `now`: at this moment. `never`: no work is open.
   */
  nextNeed: number | 'now' | 'never' | undefined;
  isCalm: boolean;
}

const warningCodes = new Set([
  ...['runs_long', 'device_not_responding', 'second_agent', 'agent_incompatible', 'messages_refused'],
  ...['device_asks'],
  ...['clock_skew', 'ledger_unwritable', 'rollout_halted', 'restored', 'backup_waits', 'deployment_failed'],
  ...['quota_nearly_used', 'waits_for_quota'],
]);

/** Whether work goes on without a decision about the item. */
export const isWarning = ({ reason }: Pick<AttentionRecord, 'reason'>): boolean =>
  warningCodes.has(reason.code);

export function situationOf(records: Records): Situation {
  const { attention, stops, devices, agents, campaigns, runs, queue } = records;
  const byAge = [...attention].sort((a, b) => a.opened_at.localeCompare(b.opened_at));
  const questions = byAge.filter((item) => !isWarning(item));
  const ends = campaigns.flatMap(({ estimated_completion: end }) => (end === null ? [] : [Date.parse(end)]));
  const isStopped = stops.length > 0 || queue?.paused === true;
  const isIdle = campaigns.length + runs.length === 0 && queue?.running === 0 && queue.waiting === 0;
  const troubledDevices = devices
    .filter((device) => !['good', 'busy'].includes(deviceTone(device)))
    .sort((a, b) => tones.indexOf(deviceTone(a)) - tones.indexOf(deviceTone(b)));
  const troubledAgents = agents.filter((agent) => agentTone(agent) !== 'good');
  return {
    questions,
    warnings: byAge.filter(isWarning),
    troubledDevices,
    troubledAgents,
    nextNeed:
      questions.length > 0 || isStopped
        ? 'now'
        : ends.length > 0
          ? Math.min(...ends)
          : isIdle
            ? 'never'
            : undefined,
    isCalm: attention.length === 0 && !isStopped && troubledDevices.length + troubledAgents.length === 0,
  };
}

/** How far a campaign is. */
export interface Progress {
  done: number;
  failed: number;
  /** undefined: the campaign has no limit. */
  total: number | undefined;
  /** From 0 to 1; undefined: unknown. */
  share: number | undefined;
  /** Milliseconds since 1970; undefined: unknown. */
  endsAt: number | undefined;
}

export function progressOf(campaign: CampaignSummary): Progress {
  const { max_protocol_runs: most, protocol_runs_completed: done, protocol_runs_failed: failed } = campaign;
  const end = campaign.estimated_completion;
  return {
    done,
    failed,
    total: most === 0 ? undefined : most,
    share: most === 0 ? undefined : Math.min(1, (done + failed) / most),
    endsAt: end === null ? undefined : Date.parse(end),
  };
}

/** A scope of an emergency stop: everything, a laboratory, or a device. */
export type StopScope =
  { kind: 'all' } | { kind: 'lab'; lab: string } | { kind: 'device'; lab: string; device: string };

/** Reads the scope of a record: `all`, `lab:<lab>` or `device:<lab>.<device>`. */
export function stopScopeOf(text: string): StopScope {
  const [kind, name = ''] = text.split(/:(.*)/s);
  const dot = name.indexOf('.');
  if (kind === 'lab') return { kind, lab: name };
  if (kind === 'device' && dot !== -1) return { kind, lab: name.slice(0, dot), device: name.slice(dot + 1) };
  return { kind: 'all' };
}
