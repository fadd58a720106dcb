import {
  attentionActionsOf,
  isTerminal,
  isUsable,
  ServiceError,
  unnamedPerson,
  type AttentionDecision,
  type AttentionKind,
  type DeviceStatus,
  type JsonObject,
  type Reason,
} from '@lab/contracts';
import type { AgentDirectory } from './agent-directory.js';
import { decideTask } from './decisions.js';
import { deviceKey, type LabMap } from './lab-map.js';
import type { AgentAddress, Agents, Ids } from './ports.js';
import { needAttention } from './results.js';
import type { AttemptRow, AttentionRow, TaskRunRow } from './rows.js';
import type { Turn } from './turn.js';
import type { WorkingState } from './working-state.js';

export interface AttentionPorts {
  ids: Ids;
  agents: Agents;
  directory: AgentDirectory;
  labs: () => LabMap;
  epoch: () => number;
  /** Silence of an agent, in milliseconds, after which a person is asked about what runs there. */
  lostAfterMs: number;
}

/** Something that only a person can settle at present. */
interface Question {
  kind: AttentionKind;
  taskRunId: string | null;
  attemptId: string | null;
  device: string | null;
  computer: string | null;
  reason: Reason;
  /** What is known, gathered when it is asked; undefined: no more than when it was asked first. */
  known: () => JsonObject | undefined;
  /** Of a device. */
  doubtId: string | null;
}

/** Who closes an item whose cause went away by itself. */
const service = 'service';

/**
 * Asks people about what only they can settle, and does what they decide.
 *
 * What is asked follows from the state alone: each task that needs attention, each device that its agent cannot vouch
 * for, and each computer that is silent while work runs there has exactly one open item. An item whose cause is gone is
 * closed, whoever removed it.
 */
export class Attention {
  readonly #ports: AttentionPorts;
  /** Items of devices whose reset is on its way: a person has decided, so they do not close by themselves. */
  readonly #deciding = new Set<string>();
  /** Device to the doubt that a person has settled, until its agent says something else of it. */
  readonly #settled = new Map<string, string | null>();
  /** Since when agents can be heard; a silence before it proves nothing. */
  #since = Infinity;

  constructor(ports: AttentionPorts) {
    this.#ports = ports;
  }

  /** The engine leads and can hear agents from now on. */
  begin(now: number): void {
    this.#since = now;
  }

  /** Opens the items that are missing, and closes those whose cause is gone. */
  settle(turn: Turn): void {
    const questions = this.#questions(turn);
    for (const item of turn.state.rows.attention.values()) {
      if (item.state !== 'open') continue;
      const key = keyOf(item);
      const question = questions.get(key);
      questions.delete(key);
      if (question === undefined) {
        if (this.#isOver(item)) this.#close(turn, item, null, service, wordsOfEnd(turn.state, item));
      } else if (differs(question, item)) this.#open(turn, question, item);
    }
    for (const question of questions.values()) this.#open(turn, question);
  }

  /** When an agent will have been silent for so long that a person is asked. */
  next(state: WorkingState, now: number): number | undefined {
    let next: number | undefined;
    for (const computer of workingComputers(state).keys()) {
      const at = this.#silentSince(computer);
      if (at === undefined || at + this.#ports.lostAfterMs <= now) continue;
      const due = at + this.#ports.lostAfterMs;
      if (next === undefined || due < next) next = due;
    }
    return next;
  }

  /**
   * The item that a decision is about, once it is certain that it can be decided so.
   *
   * @throws ServiceError `not_found`, `wrong_state`, `invalid`
   */
  examine(turn: Turn, decision: AttentionDecision): AttentionRow {
    const item = turn.state.rows.attention.get(decision.id);
    if (item === undefined)
      throw new ServiceError('not_found', `there is no open attention item "${decision.id}"`);
    if (item.state !== 'open')
      throw new ServiceError('wrong_state', `the attention item "${decision.id}" is resolved already`);
    const actions = attentionActionsOf[item.kind];
    if (!actions.includes(decision.action)) {
      const message = `"${decision.action}" cannot be decided of a ${item.kind}`;
      const hint = `use one of ${actions.join(', ')}`;
      throw new ServiceError('invalid', `${message}; ${hint}`, {
        faults: [{ path: 'action', code: 'wrong_action', message, hint }],
      });
    }
    return item;
  }

  /**
   * Has a device started anew, which a person has said to stand still. Its item is closed by {@link resolve} afterwards.
   *
   * @throws ServiceError `agent_unreachable`; what the agent answers: the item stays open
   */
  async reset(item: AttentionRow, decision: AttentionDecision): Promise<void> {
    const device = this.#ports.labs().devices.get(item.device ?? '');
    const agent = device === undefined ? undefined : this.#ports.directory.get(device.computer);
    if (device === undefined || agent === undefined || agent.state !== 'online')
      throw new ServiceError(
        'agent_unreachable',
        `the agent that runs ${item.device ?? 'the device'} does not answer; decide again when it is back`,
      );
    const to: AgentAddress = { computer: agent.computer, inc: agent.inc, epoch: this.#ports.epoch() };
    const doubt = item.known['doubt_id'];
    const doubtId = typeof doubt === 'string' ? doubt : null;
    this.#deciding.add(item.id);
    try {
      const { lab, name } = device;
      await this.#ports.agents.resetDevice(to, { lab, name }, doubtId, decision.by ?? unnamedPerson);
      this.#settled.set(device.key, doubtId);
    } catch (error) {
      this.#deciding.delete(item.id);
      throw error;
    }
  }

  /** Does what was decided. @throws ServiceError as {@link examine}; `invalid` with every fault of given outputs */
  resolve(turn: Turn, decision: AttentionDecision): { id: string } {
    const item = this.examine(turn, decision);
    const by = decision.by ?? unnamedPerson;
    if (item.kind === 'task') decideTask(turn, item, decision, by);
    else if (item.kind === 'agent') declareLost(turn, item, by);
    this.#deciding.delete(item.id);
    this.#close(turn, item, decision.action, by, decision.note ?? null);
    const { output_parameters, output_resources, note = null } = decision;
    turn.emit({
      op: 'audit',
      row: {
        id: this.#ports.ids.next(),
        at: turn.now,
        by,
        action: 'attention.resolve',
        subject: `attention/${item.id}`,
        detail: structuredClone({
          kind: item.kind,
          about: subjectOf(turn.state, item),
          decision: decision.action,
          note,
          ...(output_parameters === undefined ? {} : { output_parameters }),
          ...(output_resources === undefined ? {} : { output_resources }),
        }) as unknown as JsonObject,
      },
    });
    return { id: item.id };
  }

  #questions(turn: Turn): Map<string, Question> {
    const questions = new Map<string, Question>();
    const ask = (question: Question): void => void questions.set(keyOf(question), question);
    for (const id of turn.state.unclear) {
      const task = turn.state.rows.taskRuns.get(id);
      if (task !== undefined) ask(aboutTask(turn, task));
    }
    for (const agent of this.#ports.directory.all()) {
      if (agent.state !== 'online') continue;
      for (const [key, status] of agent.devices) {
        const doubt = isInDoubt(status);
        const settled = this.#settled.get(key);
        if (settled !== undefined && (!doubt || (status.doubt?.id ?? null) !== settled))
          this.#settled.delete(key);
        else if (settled !== undefined) continue;
        if (doubt) ask(aboutDevice(turn.state, agent.computer, key, status));
      }
    }
    for (const [computer, tasks] of workingComputers(turn.state)) {
      const since = this.#silentSince(computer);
      if (since === undefined || turn.now - since < this.#ports.lostAfterMs) continue;
      ask(aboutAgent(turn.state, computer, tasks, since));
    }
    return questions;
  }

  /** Since when nothing was heard of an agent that is not there; undefined: it is there. */
  #silentSince(computer: string): number | undefined {
    const agent = this.#ports.directory.get(computer);
    if (agent === undefined) return this.#since;
    return agent.state === 'online' ? undefined : agent.heardAt;
  }

  /** An item without a question is over, but for a device that nobody has vouched for since. */
  #isOver(item: AttentionRow): boolean {
    if (item.kind !== 'device') return true;
    if (this.#deciding.has(item.id)) return false;
    const device = this.#ports.labs().devices.get(item.device ?? '');
    if (device === undefined) return true;
    const agent = this.#ports.directory.get(device.computer);
    const status = agent?.state === 'online' ? agent.devices.get(device.key) : undefined;
    return (
      status !== undefined && !isInDoubt(status) && (isUsable(status.state) || status.state === 'faulted')
    );
  }

  #open(turn: Turn, question: Question, before?: AttentionRow): void {
    const { kind, taskRunId, attemptId, device, computer, reason } = question;
    const row: AttentionRow = {
      id: before?.id ?? this.#ports.ids.next(),
      kind,
      state: 'open',
      taskRunId,
      attemptId: attemptId ?? before?.attemptId ?? null,
      device,
      computer,
      reason,
      known: question.known() ?? before?.known ?? {},
      openedAt: before?.openedAt ?? turn.now,
      resolvedAt: null,
      resolution: null,
    };
    turn.emit({ op: 'putAttention', row });
    tell(turn, row);
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
    };
    turn.emit({ op: 'putAttention', row });
    tell(turn, row);
  }
}

/** What ran on the computer may have been done or not: each task is asked about by itself. */
function declareLost(turn: Turn, item: AttentionRow, by: string): void {
  const reason: Reason = {
    code: 'agent_lost',
    message: `${by} declared the agent of computer ${item.computer ?? ''} lost while the task ran there`,
  };
  for (const attempt of [...turn.state.rows.attempts.values()]) {
    const task = turn.state.rows.taskRuns.get(attempt.taskRunId);
    if (attempt.computer === item.computer && isOnItsWay(attempt) && task !== undefined)
      needAttention(turn, attempt, task, reason);
  }
}

function keyOf({ kind, taskRunId, device, computer }: AttentionRow | Question): string {
  return `${kind}:${(kind === 'task' ? taskRunId : kind === 'device' ? device : computer) ?? ''}`;
}

/** It is about the same thing, but not the same question any more. */
function differs({ reason, attemptId, doubtId }: Question, item: AttentionRow): boolean {
  return (
    reason.code !== item.reason.code ||
    reason.message !== item.reason.message ||
    (attemptId !== null && attemptId !== item.attemptId) ||
    (item.kind === 'device' && doubtId !== item.known['doubt_id'])
  );
}

function isInDoubt(status: DeviceStatus): boolean {
  return status.state === 'uncertain' || status.doubt !== undefined;
}

function isOnItsWay(attempt: AttemptRow): boolean {
  return !isTerminal(attempt.state) && attempt.state !== 'needs_attention';
}

/** Computers with attempts that have not ended, and the labels of their tasks. */
function workingComputers(state: WorkingState): Map<string, string[]> {
  const computers = new Map<string, string[]>();
  for (const attempt of state.rows.attempts.values()) {
    if (!isOnItsWay(attempt)) continue;
    const task = state.rows.taskRuns.get(attempt.taskRunId);
    const labels = computers.get(attempt.computer) ?? [];
    labels.push(task === undefined ? attempt.taskRunId : state.labelOf(task));
    computers.set(attempt.computer, labels);
  }
  return computers;
}

function aboutTask(turn: Turn, task: TaskRunRow): Question {
  const { rows } = turn.state;
  const live = rows.attempts.get(rows.liveAttempts.get(task.id) ?? '');
  const attempt = live ?? latestAttempt(turn.state, task);
  const reason = task.reason ?? { code: 'outcome_unknown', message: 'nobody knows how it ended' };
  return {
    kind: 'task',
    taskRunId: task.id,
    attemptId: attempt?.id ?? null,
    device: null,
    computer: task.computer,
    reason,
    doubtId: null,
    known: () => taskKnown(turn.now, task, attempt),
  };
}

function taskKnown(now: number, task: TaskRunRow, attempt: AttemptRow | undefined): JsonObject | undefined {
  if (attempt === undefined && task.attempt > 0) return undefined;
  return {
    devices: Object.entries(task.devices).map(([slot, device]) => ({
      slot,
      device: deviceKey(device.lab_name, device.name),
      computer: attempt?.devices[slot]?.computer ?? null,
    })),
    resources: Object.entries(task.resources).map(([slot, { name, type, meta }]) => ({
      slot,
      name,
      type,
      meta,
    })),
    last_confirmed: attempt?.calls?.last_confirmed ?? null,
    in_doubt: attempt?.calls?.in_doubt ?? null,
    effects: attempt?.calls?.effects ?? null,
    started_at: task.startedAt === null ? null : new Date(task.startedAt).toISOString(),
    ran_for_s: task.startedAt === null ? null : ((attempt?.endedAt ?? now) - task.startedAt) / 1000,
  };
}

/** Only when an item is opened, and then the attempt has just ended: it is still in memory. */
function latestAttempt(state: WorkingState, task: TaskRunRow): AttemptRow | undefined {
  for (const attempt of state.rows.attempts.values())
    if (attempt.taskRunId === task.id && attempt.number === task.attempt) return attempt;
  return undefined;
}

function aboutDevice(state: WorkingState, computer: string, key: string, status: DeviceStatus): Question {
  const holder = state.allocation('device', key)?.taskRunId ?? null;
  const task = holder === null ? undefined : state.rows.taskRuns.get(holder);
  const { doubt } = status;
  return {
    kind: 'device',
    taskRunId: null,
    attemptId: null,
    device: key,
    computer,
    reason: {
      code: 'device_uncertain',
      message: status.detail ?? 'it may be in the middle of something',
    },
    doubtId: doubt?.id ?? null,
    known: () => ({
      doubt_id: doubt?.id ?? null,
      in_doubt: doubt === undefined ? [] : (structuredClone(doubt.in_doubt) as unknown as JsonObject[]),
      last_confirmed: doubt?.last_confirmed ?? null,
      held_by: task === undefined ? null : state.labelOf(task),
    }),
  };
}

function aboutAgent(state: WorkingState, computer: string, tasks: string[], since: number): Question {
  return {
    kind: 'agent',
    taskRunId: null,
    attemptId: null,
    device: null,
    computer,
    reason: {
      code: 'agent_silent',
      message: `computer ${computer} is not heard while it has work; it goes on by itself when it is back`,
    },
    doubtId: null,
    known: () => ({
      silent_since: new Date(since).toISOString(),
      tasks,
      devices: [...state.rows.attempts.values()]
        .filter((attempt) => attempt.computer === computer && isOnItsWay(attempt))
        .flatMap((attempt) => Object.values(attempt.devices).map(({ lab, name }) => deviceKey(lab, name))),
    }),
  };
}

/** What the item is about, as people call it. */
function subjectOf(state: WorkingState, item: AttentionRow): string {
  const task = item.taskRunId === null ? undefined : state.rows.taskRuns.get(item.taskRunId);
  return task === undefined ? (item.device ?? item.computer ?? '') : state.labelOf(task);
}

function wordsOfEnd(state: WorkingState, item: AttentionRow): string {
  if (item.kind === 'device') return 'it is known to stand still, or is not loaded any more';
  if (item.kind === 'agent') return 'its agent is heard again, or nothing of it is left to wait for';
  const task = state.rows.taskRuns.get(item.taskRunId ?? '');
  return task === undefined ? 'the task is over' : `the task is ${task.state}`;
}

function tell(turn: Turn, row: AttentionRow): void {
  turn.emit({
    op: 'tell',
    event: {
      aggregate: `attention/${row.id}`,
      type: row.state === 'open' ? 'attention.opened' : 'attention.resolved',
      body: {
        id: row.id,
        kind: row.kind,
        subject: subjectOf(turn.state, row),
        reason: { code: row.reason.code, message: row.reason.message },
        action: row.resolution?.action ?? null,
        by: row.resolution?.by ?? null,
      },
      at: turn.now,
    },
  });
}
