import type { AttentionWarning, DeviceStatus, JsonObject, UsageKind } from '@lab/contracts';
import type { Presence, RefusedAgent } from '../agents/index.js';
import { deviceKey } from '../labs/index.js';
import { nameOf, warnedShare } from '../quotas/index.js';
import type { AttentionRow, CampaignRow, QueuePauseRow, RolloutRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';
import type { Cause } from './attention-causes.js';
import type { LateBackup } from './backup-watch.js';
import type { FailedDeployment } from './deployment-watch.js';
import type { LongTask } from './long-tasks.js';
import type { RepeatedRefusals } from './refusals.js';

const nothing = { taskRunId: null, attemptId: null, device: null, computer: null, doubtId: null };

/**
 * Warns of a device whose process does not respond. Times are those of the agent, less the offset of its clock.
 *
 * @param key `<lab>.<device>`
 */
export function aboutSilentDevice(agent: Presence, key: string, status: DeviceStatus): Cause {
  const { computer, clock } = agent;
  const timeOf = (ms: number): string => isoTime(ms - (clock.ms ?? 0));
  const { doing, silent_since_ms: since = 0 } = status;
  const during =
    doing === undefined
      ? ''
      : ` during ${doing.function}(${inShort(doing.arguments)}), which began at ${timeOf(doing.since_ms)}`;
  return {
    kind: 'device',
    ...nothing,
    device: key,
    computer,
    reason: warning(
      'device_not_responding',
      `the process of ${key} on computer ${computer} has not responded since ${timeOf(since)}${during}; ` +
        'its code blocks, so calls wait and only the end of the process can stop it',
    ),
    known: () => ({
      silent_since: timeOf(since),
      state: status.state,
      call:
        doing === undefined
          ? null
          : {
              call_id: doing.call_id,
              function: doing.function,
              arguments: structuredClone(doing.arguments),
              began_at: timeOf(doing.since_ms),
            },
    }),
  };
}

/**
 * Tells what the driver of a device asks for. The call in progress goes on when that is done.
 *
 * @param key `<lab>.<device>`
 */
export function aboutAskingDevice(
  { computer, clock }: Presence,
  key: string,
  { text, since_ms: since }: NonNullable<DeviceStatus['asks']>,
): Cause {
  return {
    kind: 'device',
    ...nothing,
    device: key,
    computer,
    reason: warning('device_asks', `${key} on computer ${computer}: ${text}`),
    known: () => ({ question: text, asked_at: isoTime(since - (clock.ms ?? 0)) }),
  };
}

/** Warns of the clock of a computer that is wrong. */
export function aboutClock({ computer, clock }: Presence): Cause {
  const offset = clock.ms ?? 0;
  const seconds = Math.abs(offset / 1000).toFixed(1);
  return {
    kind: 'agent',
    ...nothing,
    computer,
    reason: warning(
      'clock_skew',
      `the clock of computer ${computer} is ${seconds} s ${offset > 0 ? 'ahead' : 'behind'}; the service corrects the ` +
        'times of its calls and log lines; set the clock of the computer, for example with NTP',
    ),
    known: () => ({ clock_offset_ms: Math.round(offset) }),
  };
}

/** Warns of an agent that cannot record what it would do. */
export function aboutLedger({ computer, ledgerTrouble, devices }: Presence): Cause {
  return {
    kind: 'agent',
    ...nothing,
    computer,
    reason: warning(
      'ledger_unwritable',
      `computer ${computer}: ${ledgerTrouble ?? ''}; it goes on by itself when it can write again`,
    ),
    known: () => ({ detail: ledgerTrouble ?? null, devices: [...devices.keys()].sort() }),
  };
}

/** Warns of an agent that wants the computer of another one. */
export function aboutSecondAgent({ computer, version, since }: RefusedAgent): Cause {
  return {
    kind: 'agent',
    ...nothing,
    computer,
    reason: warning(
      'second_agent',
      `a second agent for computer ${computer} was refused while the first one works; stop it, or give it the name of ` +
        'its own computer; if nobody has started it, somebody else has the credentials of this agent',
    ),
    known: () => ({ refused_since: isoTime(since), version }),
  };
}

/** Warns of an agent whose release does not fit that of the service. */
export function aboutMisfit({ computer, version, protocol, message, since }: RefusedAgent): Cause {
  return {
    kind: 'agent',
    ...nothing,
    computer,
    reason: warning('agent_incompatible', message),
    known: () => ({ refused_since: isoTime(since), version, protocol: { ...protocol } }),
  };
}

/** Warns of a process that the broker or the leader refuses again and again. */
export function aboutRefusals({ process, byBroker, unsigned, since }: RepeatedRefusals): Cause {
  return {
    kind: 'process',
    ...nothing,
    computer: process,
    reason: warning(
      'messages_refused',
      `messages of ${process} have been refused since ${isoTime(since)}: it has the credentials of another role, or ` +
        'somebody uses credentials of this service with a program of their own',
    ),
    known: () => ({ refused_by_broker: byBroker, unsigned_acts: unsigned, refused_since: isoTime(since) }),
  };
}

/** Warns that the service knows nothing of the time after the moment to which it was restored. */
export function aboutRestore({ by, at }: QueuePauseRow, queued: number): Cause {
  return {
    kind: 'process',
    ...nothing,
    computer: 'service',
    reason: warning(
      'restored',
      `the service was restored at ${isoTime(at)} (${by}) and knows nothing of what happened after that moment; ` +
        (queued === 0
          ? 'look at the instruments and samples, then resume the queue'
          : `${inNumber(queued)} may have been done since; cancel what was done, then resume the queue`),
    ),
    known: () => ({ restored_at: isoTime(at), queued }),
  };
}

/** Warns that a crash would lose what the backup does not have. */
export function aboutBackup({ reachedAt, trouble, since }: LateBackup): Cause {
  const far =
    reachedAt === null
      ? `there is no backup, although one is configured since before ${isoTime(since)}`
      : `the backup has nothing after ${isoTime(reachedAt)}`;
  return {
    kind: 'process',
    ...nothing,
    computer: 'backup',
    reason: warning('backup_waits', `${far}: ${trouble ?? 'its process does not run, or does not come up'}`),
    known: () => ({ reached_at: reachedAt === null ? null : isoTime(reachedAt), trouble }),
  };
}

/** What an item about the deployment of a package names as its process. */
const packageSubject = 'package/';

/** The package that an item about a deployment names. */
export const packageOf = ({ computer }: Pick<AttentionRow, 'computer'>): string =>
  computer?.slice(packageSubject.length) ?? '';

/** Warns of a deployment that failed, of which its pipeline may not know. */
export function aboutFailedDeployment(failure: FailedDeployment): Cause {
  const { package: name, sha256, commit, author, by, reason, at } = failure;
  const origin = [
    ...(commit === null ? [] : [`commit ${commit}`]),
    ...(author === null ? [] : [`by ${author}`]),
    `deployed by ${by}`,
  ].join(', ');
  return {
    kind: 'process',
    ...nothing,
    computer: packageSubject + name,
    reason: warning(
      'deployment_failed',
      `the version ${sha256.slice(0, 12)} of the package ${name} (${origin}) did not become active at ${isoTime(at)}: ` +
        `${reason}; mend it and deploy it again, activate another version, or acknowledge this`,
    ),
    known: () => ({ package: name, sha256, commit, author, by, reason, failed_at: isoTime(at) }),
  };
}

/**
 * Warns of a quota that is nearly used up. Everybody who may see all work sees the item, so it has no numbers: those of an owner
 * are for the owner and for administrators.
 */
export function aboutQuota(user: { kind: UsageKind; name: string }): Cause {
  return {
    kind: 'process',
    ...nothing,
    computer: `quota of ${nameOf(user)}`,
    reason: warning(
      'quota_nearly_used',
      `the quota of ${nameOf(user)} is used to ${warnedShare * 100} % or more; when it is used up, new work is refused`,
    ),
    known: () => ({ ...user }),
  };
}

/** Warns of a campaign that waits for room. */
export function aboutWaitingCampaign({ name, reason }: CampaignRow): Cause {
  return {
    kind: 'process',
    ...nothing,
    computer: `campaign "${name}"`,
    reason: warning('waits_for_quota', `campaign "${name}" waits: ${reason?.message ?? ''}`),
    known: () => ({ campaign: name }),
  };
}

/** Warns of a rollout that is halted. */
export function aboutHaltedRollout(
  { id, version, steps }: RolloutRow,
  { computer, reason, at }: NonNullable<RolloutRow['halt']>,
): Cause {
  return {
    kind: 'agent',
    ...nothing,
    computer,
    reason: warning(
      'rollout_halted',
      `the rollout to ${version} is halted: ${reason}; look at it with "svc agent rollout", then resume or cancel it`,
    ),
    known: () => ({
      rollout: id,
      halted_at: isoTime(at),
      updated: steps.filter(({ state }) => state === 'updated').map((step) => step.computer),
    }),
  };
}

/** Asks whether a task that takes long is to go on. */
export function aboutLongTask(turn: Turn, { task, attempt, limitMs, earlier }: LongTask): Cause {
  const before =
    earlier === null
      ? 'too few earlier attempts are known for a better limit'
      : `its latest ${earlier.attempts} completed attempts took at most ${inWords(earlier.ms)}`;
  return {
    kind: 'task',
    ...nothing,
    taskRunId: task.id,
    attemptId: attempt.id,
    computer: attempt.computer,
    reason: warning(
      'runs_long',
      `${turn.state.labelOf(task)} has run on computer ${attempt.computer} since ${isoTime(attempt.createdAt)}, for more than ` +
        `${inWords(turn.now - attempt.createdAt)}; ${before}`,
    ),
    known: () => ({
      started_at: isoTime(attempt.createdAt),
      limit_s: limitMs / 1000,
      longest_s: earlier === null ? null : earlier.ms / 1000,
      attempts: earlier?.attempts ?? 0,
      devices: Object.values(attempt.devices).map(({ lab, name }) => deviceKey(lab, name)),
    }),
  };
}

/** Whether the agent, which is heard, has reported that the cause of the warning is gone. */
export function isContradicted(agent: Presence, { reason, device }: AttentionRow): boolean {
  switch (reason.code) {
    case 'clock_skew':
      return agent.clock.isKnown;
    case 'second_agent':
    case 'agent_incompatible':
    case 'messages_refused':
      return true;
    case 'ledger_unwritable':
      return agent.ledgerTrouble !== undefined;
    default:
      return agent.devices.has(device ?? '');
  }
}

/** Why a warning without a cause is closed. */
export const endsOfWarnings: Readonly<Record<AttentionWarning, string>> = {
  runs_long: 'the task does not run any more',
  device_not_responding: 'the process of the device responds again, has ended, or its agent is gone',
  device_asks: 'the device asks for nothing any more, or its process or agent is gone',
  second_agent: 'no second agent has registered for a minute',
  agent_incompatible: 'the agent has registered, or has not tried for a minute',
  messages_refused: 'no message of the process was refused for a minute',
  clock_skew: 'the clock is right again, or the agent is gone',
  ledger_unwritable: 'the agent can write its ledger again, or is gone',
  rollout_halted: 'the rollout was resumed or cancelled',
  restored: 'the queue was resumed',
  backup_waits: 'the backup is up to date',
  deployment_failed: 'a version of the package is active since',
  quota_nearly_used: 'the quota has room again',
  waits_for_quota: 'the campaign does not wait any more',
};

function warning(code: AttentionWarning, message: string): Cause['reason'] {
  return { code, message };
}

const inNumber = (tasks: number): string => (tasks === 1 ? 'one queued task' : `${tasks} queued tasks`);

/** Longest text of arguments within a sentence, in characters. */
const longestText = 200;

function inShort(values: JsonObject): string {
  const text = JSON.stringify(values);
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function inWords(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 120) return `${Number(seconds.toPrecision(2))} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
