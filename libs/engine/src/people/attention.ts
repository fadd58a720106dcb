import {
  attentionActionsOf,
  awaitsAgent,
  isAttentionWarning,
  isGone,
  isHeard,
  isMoving,
  isUsable,
  isWithAgent,
  ServiceError,
  unnamedPerson,
  type AttentionDecision,
  type AttentionWarning,
  type JsonObject,
  type Reason,
  restorer,
} from '@lab/contracts';
import type { Ids } from '@lab/ports';
import { type AgentDirectory, needAttention, needsPerson } from '../agents/index.js';
import { type LabMap, deviceKey } from '../labs/index.js';
import { type Quotas, nearlyUsed } from '../quotas/index.js';
import {
  type AgentAddress,
  type Agents,
  type AttentionRow,
  conflict,
  waitingForQuota,
} from '../rows/index.js';
import { type Turn, type TurnLoop, type WorkingState, audit, subjectOf } from '../turn/index.js';
import { requestStop } from '../work/index.js';
import { type Cause, aboutAgent, aboutDevice, aboutTask, differs, keyOf } from './attention-causes.js';
import {
  aboutBackup,
  aboutClock,
  aboutFailedDeployment,
  aboutHaltedRollout,
  aboutLedger,
  aboutLongTask,
  aboutRefusals,
  aboutMisfit,
  aboutQuota,
  aboutSecondAgent,
  aboutAskingDevice,
  aboutSilentDevice,
  aboutRestore,
  aboutWaitingCampaign,
  endsOfWarnings,
  isContradicted,
  packageOf,
} from './attention-warnings.js';
import { decideTask } from './decisions.js';
import { claimItem, claimOfOther, releaseItem } from './attention-claims.js';
import type { LongTasks } from './long-tasks.js';
import type { BackupWatch } from './backup-watch.js';
import type { DeploymentWatch } from './deployment-watch.js';
import type { Refusals } from './refusals.js';

export interface AttentionPorts {
  loop: TurnLoop;
  ids: Ids;
  agents: Agents;
  directory: AgentDirectory;
  labs: () => LabMap;
  longTasks: LongTasks;
  refusals: Refusals;
  backup: BackupWatch;
  deployments: DeploymentWatch;
  quotas: Quotas;
  epoch: () => number;
  /** Silence of an agent, in milliseconds, after which a person decides about its attempts. */
  lostAfterMs: number;
}

/** Milliseconds after the reset of a device during which its agent may still report the old state. */
const echoMs = 5_000;

/** Warnings about what is stored. */
const stored: ReadonlySet<string> = new Set([
  'rollout_halted',
  'restored',
  'quota_nearly_used',
  'waits_for_quota',
] satisfies AttentionWarning[]);

/** Closes items whose cause went away by itself. */
const service = 'service';

/**
 * Asks people for the decisions that only they can make, and carries them out. The items follow from the state alone:
 * one open item for each task that needs attention, each device whose agent does not know its state or has given it
 * up, and each silent computer with unfinished attempts. Further items warn of tasks that take long, of devices that do
 * not respond, of computers with a wrong clock, an unwritable ledger or a second agent,
 * of processes that are refused, of deployments that failed, and of quotas without room. An item is closed when its cause is gone.
 */
export class Attention {
  /** Items of devices with a pending reset. A person has decided, so these items do not close by themselves. */
  readonly #deciding = new Set<string>();
  /**
   * Device to the doubt that a person settled, until its agent reports another state. `at`: time of the first turn
   * after it.
   */
  readonly #settled = new Map<string, { doubtId: string | null; at: number | undefined }>();
  /** When this engine began to hear agents. A silence before that proves nothing. */
  #since = Infinity;

  constructor(private readonly ports: AttentionPorts) {}

  /** The engine leads and hears agents from now on. */
  begin(now: number): void {
    this.#since = now;
  }

  /**
   * Records the decision of a person. The agent of a device first restarts the device; otherwise the item stays open.
   *
   * @throws ServiceError `not_found`; `wrong_state` when the decision comes too late; `invalid` when the action does
   *   not fit, or with every fault of the outputs; `agent_unreachable`
   */
  async decide(decision: AttentionDecision): Promise<{ id: string }> {
    const { loop } = this.ports;
    const item = await loop.submit('look at an attention item', (turn) => this.#examine(turn, decision));
    if (item.kind === 'device') await this.#reset(item, decision);
    return loop.submit('decision of a person', (turn) => this.#resolve(turn, decision));
  }

  /** @throws ServiceError as {@link claimItem} */
  claim({
    id,
    by,
    take_over: takesOver,
  }: {
    id: string;
    by: string;
    take_over: boolean;
  }): Promise<{ id: string }> {
    const { loop, ids } = this.ports;
    return loop.submit('claim of an attention item', (turn) => claimItem(turn, { by, ids }, id, takesOver));
  }

  /** @throws ServiceError as {@link releaseItem} */
  release({ id, by }: { id: string; by: string }): Promise<{ id: string }> {
    const { loop, ids } = this.ports;
    return loop.submit('release of an attention item', (turn) => releaseItem(turn, { by, ids }, id));
  }

  /** Opens missing items and closes those whose cause is gone. */
  settle(turn: Turn): void {
    const causes = this.#causes(turn);
    for (const item of turn.state.rows.attention.values()) {
      if (item.state !== 'open') continue;
      const key = keyOf(item);
      const cause = causes.get(key);
      causes.delete(key);
      if (cause === undefined) {
        if (this.#isOver(turn, item)) this.#close(turn, item, null, service, wordsOfEnd(turn.state, item));
      } else if (differs(cause, item)) this.#open(turn, cause, item);
    }
    for (const cause of causes.values()) this.#open(turn, cause);
  }

  /** When a silent agent requires a decision, in milliseconds since 1970. */
  next(state: WorkingState, now: number): number | undefined {
    let next = this.ports.longTasks.next(now);
    for (const since of this.#silent(state).values()) {
      const due = since + this.ports.lostAfterMs;
      if (due > now && (next === undefined || due < next)) next = due;
    }
    return next;
  }

  /** @throws ServiceError `not_found`, `wrong_state`, `invalid` */
  #examine(turn: Turn, decision: AttentionDecision): AttentionRow {
    const item = turn.state.rows.attention.get(decision.id);
    if (item === undefined)
      throw new ServiceError('not_found', `there is no open attention item "${decision.id}"`);
    if (item.state !== 'open') throw conflict(`the attention item "${decision.id}" is resolved already`);
    const actions = attentionActionsOf(item);
    if (!actions.includes(decision.action)) {
      const message = `"${decision.action}" is not a possible decision about ${item.reason.code} of a ${item.kind}`;
      const hint =
        actions.length === 0
          ? 'it needs no decision: the item closes when its cause ends'
          : `use one of ${actions.join(', ')}`;
      throw new ServiceError('invalid', `${message}; ${hint}`, {
        faults: [{ path: 'action', code: 'wrong_action', message, hint }],
      });
    }
    return item;
  }

  /** Restarts a device that stands still as a person said. @throws ServiceError also the error of the agent */
  async #reset(item: AttentionRow, decision: AttentionDecision): Promise<void> {
    const device = this.ports.labs().devices.get(item.device ?? '');
    const agent = device === undefined ? undefined : this.ports.directory.get(device.computer);
    if (device === undefined || agent === undefined || !isHeard(agent.state))
      throw new ServiceError(
        'agent_unreachable',
        `the agent that runs ${item.device ?? 'the device'} does not answer; decide again when it is back`,
      );
    const to: AgentAddress = { computer: agent.computer, inc: agent.inc, epoch: this.ports.epoch() };
    const doubt = item.known['doubt_id'];
    const doubtId = typeof doubt === 'string' ? doubt : null;
    this.#deciding.add(item.id);
    try {
      const { lab, name } = device;
      await this.ports.agents.resetDevice(to, { lab, name }, doubtId, decision.by ?? unnamedPerson);
      this.#settled.set(device.key, { doubtId, at: undefined });
    } catch (error) {
      this.#deciding.delete(item.id);
      throw error;
    }
  }

  /** Carries out a decision and closes the item. @throws ServiceError as {@link decide} */
  #resolve(turn: Turn, decision: AttentionDecision): { id: string } {
    const item = this.#examine(turn, decision);
    const by = decision.by ?? unnamedPerson;
    if (item.reason.code === 'deployment_failed') {
      // At once: the cause would open the item again at the end of this turn.
      this.ports.deployments.settle(packageOf(item));
    } else if (isAttentionWarning(item.reason.code)) {
      this.#decideLong(turn, item, decision);
    } else if (item.kind === 'task') {
      this.#demandRest(turn, item);
      decideTask(turn, item, decision, by);
    } else if (item.kind === 'agent') declareLost(turn, item, by);
    this.#deciding.delete(item.id);
    this.#close(turn, item, decision.action, by, decision.note ?? null);
    const { output_parameters, output_resources, note = null } = decision;
    const claimed = claimOfOther(item, by, turn.now);
    const detail = structuredClone({
      kind: item.kind,
      about: subjectOf(turn.state, item),
      decision: decision.action,
      note,
      ...(claimed === undefined ? {} : { claimed_by: claimed.by }),
      ...(output_parameters === undefined ? {} : { output_parameters }),
      ...(output_resources === undefined ? {} : { output_resources }),
    }) as unknown as JsonObject;
    audit(turn, { by, ids: this.ports.ids }, 'attention.resolve', `attention/${item.id}`, detail);
    return { id: item.id };
  }

  /** The task goes on, or is asked to stop. @throws ServiceError `wrong_state` */
  #decideLong(turn: Turn, { taskRunId, attemptId }: AttentionRow, { action }: AttentionDecision): void {
    const task = turn.state.rows.taskRuns.get(taskRunId ?? '');
    if (task === undefined || !isWithAgent(task.state)) throw conflict('the task does not run any more');
    if (action === 'cancel') requestStop(turn, task);
    turn.afterCommit(() => this.ports.longTasks.postpone(attemptId ?? '', turn.now));
  }

  /**
   * Refuses a decision while a call of the task runs on another computer: even if the agent of the task is lost, no
   * other task may get the device before that call has ended.
   *
   * @throws ServiceError `wrong_state`
   */
  #demandRest(turn: Turn, item: AttentionRow): void {
    const attempt = turn.state.rows.attempts.get(item.attemptId ?? '');
    for (const { computer, inc, lab, name } of Object.values(attempt?.devices ?? {})) {
      const key = deviceKey(lab, name);
      const agent = this.ports.directory.current(computer, inc);
      const status = agent?.state === 'online' ? agent.devices.get(key) : undefined;
      if (status !== undefined && isMoving(status.state))
        throw conflict(
          `device ${key} is still ${status.state} for it; decide when that has ended, or stop the device`,
        );
    }
  }

  #causes(turn: Turn): Map<string, Cause> {
    const causes = new Map<string, Cause>();
    const ask = (cause: Cause): void => void causes.set(keyOf(cause), cause);
    for (const id of turn.state.unclear) {
      const task = turn.state.rows.taskRuns.get(id);
      if (task !== undefined) ask(aboutTask(turn, task));
    }
    for (const long of this.ports.longTasks.at(turn.state, turn.now)) ask(aboutLongTask(turn, long));
    for (const refused of this.ports.refusals.repeated(turn.now)) ask(aboutRefusals(refused));
    for (const second of this.ports.directory.seconds.lately(turn.now)) ask(aboutSecondAgent(second));
    for (const misfit of this.ports.directory.misfits.lately(turn.now)) ask(aboutMisfit(misfit));
    for (const rollout of turn.state.rows.rollouts.values())
      if (rollout.state === 'halted' && rollout.halt !== null) ask(aboutHaltedRollout(rollout, rollout.halt));
    for (const failure of this.ports.deployments.open()) ask(aboutFailedDeployment(failure));
    const late = this.ports.backup.late(turn.now);
    if (late !== undefined) ask(aboutBackup(late));
    for (const { kind, name } of nearlyUsed(turn.state.rows, this.ports.quotas))
      ask(aboutQuota({ kind, name }));
    for (const campaign of turn.state.rows.campaigns.values())
      if (campaign.reason?.code === waitingForQuota) ask(aboutWaitingCampaign(campaign));
    const pause = turn.state.queuePause();
    if (pause?.by.startsWith(restorer) === true) ask(aboutRestore(pause, turn.state.queued.size));
    for (const agent of this.ports.directory.all()) {
      if (!isHeard(agent.state) || (!agent.isConspicuous && this.#settled.size === 0)) continue;
      if (agent.clock.isWrong) ask(aboutClock(agent));
      if (agent.ledgerTrouble != null) ask(aboutLedger(agent));
      for (const [key, status] of agent.devices) {
        if (status.silent_since_ms !== undefined) ask(aboutSilentDevice(agent, key, status));
        if (status.asks !== undefined) ask(aboutAskingDevice(agent, key, status.asks));
        const asked = needsPerson(status);
        const settled = this.#settled.get(key);
        if (settled !== undefined && asked && (status.doubt?.id ?? null) === settled.doubtId) {
          settled.at ??= turn.now;
          if (turn.now - settled.at < echoMs) continue;
        }
        this.#settled.delete(key);
        if (asked) ask(aboutDevice(turn.state, agent.computer, key, status));
      }
    }
    for (const [computer, since] of this.#silent(turn.state))
      if (turn.now - since >= this.ports.lostAfterMs) ask(aboutAgent(turn.state, computer, since));
    return causes;
  }

  /** Computers with unfinished attempts whose agent is not heard, and the time of its last message. */
  #silent(state: WorkingState): Map<string, number> {
    const silent = new Map<string, number>();
    for (const { computer, state: now } of state.rows.attempts.values()) {
      if (silent.has(computer) || !awaitsAgent(now)) continue;
      const agent = this.ports.directory.get(computer);
      if (agent === undefined) silent.set(computer, this.#since);
      else if (!isHeard(agent.state)) silent.set(computer, agent.heardAt);
    }
    return silent;
  }

  /**
   * Says whether an item without a cause may be closed. It stays open while nothing was heard that settles it: its
   * device was not reported since, or its agent has been silent since before this engine listened.
   */
  #isOver(turn: Turn, item: AttentionRow): boolean {
    // What these items are about is stored, so nothing has to be heard first.
    if (item.kind === 'task' || stored.has(item.reason.code)) return true;
    if (item.reason.code === 'backup_waits') return this.ports.backup.isKnown;
    if (item.reason.code === 'deployment_failed') return this.ports.deployments.isSettled(packageOf(item));
    if (isAttentionWarning(item.reason.code)) return this.#isOutdated(item, turn.now);
    if (item.kind === 'agent') return !this.#silent(turn.state).has(item.computer ?? '');
    if (this.#deciding.has(item.id)) return false;
    const device = this.ports.labs().devices.get(item.device ?? '');
    if (device === undefined) return true;
    const agent = this.ports.directory.get(device.computer);
    const status = agent !== undefined && isHeard(agent.state) ? agent.devices.get(device.key) : undefined;
    return status !== undefined && !needsPerson(status) && isUsable(status.state);
  }

  /** Whether a warning without a cause is out of date: its agent contradicts it, or is gone. */
  #isOutdated(item: AttentionRow, now: number): boolean {
    const agent = this.ports.directory.get(item.computer ?? '');
    if (agent === undefined) return now - this.#since >= this.ports.lostAfterMs;
    if (item.device !== null && !this.ports.labs().devices.has(item.device)) return true;
    return isHeard(agent.state) ? isContradicted(agent, item) : isGone(agent.state);
  }

  #open(turn: Turn, cause: Cause, before?: AttentionRow): void {
    const { kind, taskRunId, attemptId, device, computer, reason } = cause;
    const row: AttentionRow = {
      id: before?.id ?? this.ports.ids.next(),
      kind,
      state: 'open',
      taskRunId,
      attemptId: attemptId ?? before?.attemptId ?? null,
      device,
      computer,
      reason,
      known: cause.known() ?? before?.known ?? {},
      openedAt: before?.openedAt ?? turn.now,
      resolvedAt: null,
      resolution: null,
      claim: before?.claim ?? null,
    };
    turn.emit({ op: 'putAttention', row });
  }

  #close(
    turn: Turn,
    item: AttentionRow,
    action: NonNullable<AttentionRow['resolution']>['action'],
    by: string,
    note: string | null,
  ): void {
    const row: AttentionRow = {
      ...item,
      state: 'resolved',
      resolvedAt: turn.now,
      resolution: { action, by, note },
      claim: null,
    };
    turn.emit({ op: 'putAttention', row });
  }
}

/** Declares an agent lost. Its attempts may or may not have had effects, so a person decides about each task. */
function declareLost(turn: Turn, item: AttentionRow, by: string): void {
  const reason: Reason = {
    code: 'agent_lost',
    message: `${by} declared the agent of computer ${item.computer ?? ''} lost while the task ran there`,
  };
  for (const attempt of [...turn.state.rows.attempts.values()]) {
    const task = turn.state.rows.taskRuns.get(attempt.taskRunId);
    if (attempt.computer === item.computer && awaitsAgent(attempt.state) && task !== undefined)
      needAttention(turn, attempt, task, reason);
  }
}

function wordsOfEnd(state: WorkingState, item: AttentionRow): string {
  const { code } = item.reason;
  if (isAttentionWarning(code)) return endsOfWarnings[code];
  if (item.kind === 'device') return 'the device is known to stand still, or is not loaded any more';
  if (item.kind === 'agent') return 'the agent is heard again, or has no unfinished attempts';
  const task = state.rows.taskRuns.get(item.taskRunId ?? '');
  return task === undefined ? 'the task is over' : `the task is ${task.state}`;
}
