import {
  isHeard,
  isMoving,
  isRolloutOver,
  isInitializing,
  mayDispatchTo,
  ServiceError,
  toServiceError,
  type ErrorCode,
  type RolloutRecord,
} from '@lab/contracts';
import { Backoff, type Clock, type Ids, type Log } from '@lab/ports';
import { type AgentDirectory, useOf } from '../agents/index.js';
import type { KnownDevice, LabMap } from '../labs/index.js';
import { type Agents, type AttentionRow, type RolloutRow, conflict } from '../rows/index.js';
import {
  drainForRollout,
  drainOfPerson,
  endDrainOfRollout,
  refusedField,
  stoppedDevices,
  wordsOfOutage,
} from '../stops/index.js';
import { type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';
import { chosenFor, type Wanted } from './choice.js';
import {
  advance,
  answered,
  busy,
  isOpen,
  nextOf,
  placed,
  refused,
  resumed,
  type ComputerNow,
  type ItemNow,
  type World,
} from './machine.js';
import { recordOf } from './records.js';

export interface RolloutPorts {
  loop: TurnLoop;
  state: WorkingState;
  agents: Pick<Agents, 'update'>;
  directory: AgentDirectory;
  labs: () => LabMap;
  epoch: () => number;
  clock: Clock;
  ids: Ids;
  log: Log;
}

/** Request to start a rollout. */
export interface RolloutAsked extends Wanted {
  settle_s: number;
  reason: string;
  by: string;
}

/** The decision of a person about a rollout. */
interface Decision {
  id: string;
  by: string;
  reason: string;
}

/**
 * Errors that leave open what the agent does. It is asked again if it still runs as the process that was asked, which changes
 * nothing while its update is under way.
 */
const unanswered: ReadonlySet<ErrorCode> = new Set([
  'agent_unreachable',
  'service_unavailable',
  'deadline_exceeded',
  'disconnected',
  'aborted',
  'late_message',
  'stale_message',
]);

/**
 * An agent is asked again after this time without an answer, in milliseconds. It answers when it has fetched the version, for which
 * it has much longer, but a request that a broken connection has lost is never answered.
 */
const repeatMs = 30_000;

/**
 * Updates the agents of many computers, ring by ring. What it has decided is in the row of the rollout. Only the requests that
 * wait for an answer are kept in memory; a new leader looks at the agents and asks again.
 */
export class Rollouts {
  /** Computer to the incarnation that is being asked, and since when. */
  readonly #asking = new Map<string, { inc: number; at: number }>();
  /** When an agent may be asked again. */
  readonly #retries = new Backoff({ first: 5_000, longest: 60_000 });
  #since = Infinity;

  constructor(private readonly ports: RolloutPorts) {}

  /** The leader hears agents from now on. */
  begin(now: number): void {
    this.#since = now;
  }

  /**
   * Starts a rollout. Resolves after the commit.
   *
   * @throws ServiceError `wrong_state` while another one is open; `invalid` as {@link chosenFor}, or without a reason
   */
  start(asked: RolloutAsked): Promise<RolloutRecord> {
    const { loop, ids, directory, labs } = this.ports;
    return loop.submit('start of a rollout', (turn) => {
      const { version, reason, by } = asked;
      if (reason.trim() === '')
        throw refusedField('reason', 'required', 'is missing', 'say why, for those who wait');
      const open = openRollout(turn.state);
      if (open !== undefined)
        throw conflict(
          `the rollout to ${open.version} (${open.id}) is ${open.state}, and a computer of it may be touched; ` +
            'wait for its end, or cancel it first',
        );
      const known = new Set([...labs().computers, ...turn.state.rows.agents.keys()]);
      const chosen = chosenFor(asked, directory, known, turn.now);
      const row: RolloutRow = {
        ...{ id: ids.next(), version, state: 'running', by, reason, settleMs: asked.settle_s * 1_000 },
        ...{ at: turn.now, resumedAt: null, halt: null, ...chosen, endedAt: null, endedBy: null },
      };
      turn.emit({ op: 'putRollout', row });
      audit(turn, { by, ids }, 'rollout.start', `rollout/${row.id}`, {
        ...{ version, reason, computers: row.steps.map(({ computer }) => computer) },
      });
      return this.#record(row, turn.now);
    });
  }

  /** Goes on with a halted rollout. @throws ServiceError `not_found`; `wrong_state` when it is not halted */
  resume(decision: Decision): Promise<RolloutRecord> {
    return this.#decide(decision, 'rollout.resume', (row, now) => {
      if (row.state !== 'halted') throw conflict(`the rollout is ${row.state}, not halted`);
      return resumed(row, now);
    });
  }

  /** Ends a rollout. Idempotent. @throws ServiceError `not_found`; `wrong_state` when it is completed */
  cancel(decision: Decision): Promise<RolloutRecord> {
    return this.#decide(decision, 'rollout.cancel', (row, now) => {
      if (row.state === 'completed') throw conflict('the rollout is completed');
      if (isRolloutOver(row.state)) return row;
      return { ...row, state: 'cancelled', halt: null, endedAt: now, endedBy: decision.by };
    });
  }

  /** The latest rollouts, newest first. */
  list(): RolloutRecord[] {
    const { state, clock } = this.ports;
    const now = clock.now();
    return [...state.rows.rollouts.values()].reverse().map((row) => this.#record(row, now));
  }

  /** Decides what follows for the open rollout, and asks agents after the commit. */
  settle(turn: Turn): void {
    const open = openRollout(turn.state);
    if (open === undefined) return;
    this.#put(turn, open, open);
  }

  /** The first moment after `since` at which {@link settle} has something to do, in milliseconds since 1970. */
  next(since: number): number | undefined {
    const open = openRollout(this.ports.state);
    if (open === undefined) return undefined;
    const repeats = [...this.#asking.values()].map(({ at }) => at + repeatMs).filter((at) => at > since);
    const times = [nextOf(open, since, this.#since), this.#retries.next(since), ...repeats].filter(
      (at) => at !== undefined,
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #decide(
    { id, by, reason }: Decision,
    action: string,
    change: (row: RolloutRow, now: number) => RolloutRow,
  ): Promise<RolloutRecord> {
    const { loop, ids } = this.ports;
    return loop.submit('decision about a rollout', (turn) => {
      const row = turn.state.rows.rollouts.get(id);
      if (row === undefined) throw new ServiceError('not_found', `there is no rollout "${id}"`);
      const next = change(row, turn.now);
      if (next === row) return this.#record(row, turn.now);
      audit(turn, { by, ids }, action, `rollout/${id}`, {
        ...{ reason, version: row.version },
        ...(row.halt === null ? {} : { halted_because: row.halt.reason }),
      });
      return this.#record(this.#put(turn, row, next), turn.now);
    });
  }

  /** Advances a rollout and stores it if it changed. @param before as it is stored */
  #put(turn: Turn, before: RolloutRow, given: RolloutRow): RolloutRow {
    const { ids } = this.ports;
    const { row, acts } = advance(before, given, this.#world(turn.state, turn.now));
    if (row !== before) turn.emit({ op: 'putRollout', row });
    const { id, halt, version } = row;
    if (row.state !== before.state && (row.state === 'halted' || row.state === 'completed'))
      audit(turn, { by: 'service', ids }, `rollout.${row.state}`, `rollout/${id}`, {
        ...{ version, reason: halt?.reason ?? null, computer: halt?.computer ?? null },
      });
    for (const { act, computer } of acts)
      if (act === 'drain')
        drainForRollout(turn, ids, computer, {
          by: row.by,
          reason: `update to ${row.version}: ${row.reason}`,
        });
      else endDrainOfRollout(turn, ids, computer);
    for (const step of row.steps)
      if (step.state === 'updating' && step.inc !== null) this.#ask(turn, row, step.computer, step.inc);
    return row;
  }

  /** Asks an agent that was not asked yet, not by this leader, or so long ago that the request may be lost. */
  #ask(turn: Turn, { id, version, by }: RolloutRow, computer: string, inc: number): void {
    const { agents, directory, epoch, log, loop } = this.ports;
    const agent = directory.current(computer, inc);
    if (agent === undefined || !mayDispatchTo(agent.state)) return;
    const asked = this.#asking.get(computer);
    if (asked?.inc === inc && turn.now < asked.at + repeatMs) return;
    if (!this.#retries.isDue(computer, turn.now)) return;
    const heard = (name: string, change: Parameters<typeof answered>[2], now: Turn): void => {
      if (this.#asking.get(computer)?.inc === inc) this.#asking.delete(computer);
      const row = now.state.rows.rollouts.get(id);
      if (row === undefined) return;
      log.info(name, { computer, version });
      this.#put(now, row, answered(row, { computer, inc }, change));
    };
    turn.afterCommit(() => {
      this.#asking.set(computer, { inc, at: turn.now });
      agents.update({ computer, inc, epoch: epoch() }, version, by).then(
        (state) =>
          loop.enqueue('answer of an agent to an update', (now) => {
            this.#retries.clear(computer);
            // `runs` says nothing new: the registration tells the version.
            heard(
              'an agent updates itself',
              (step) => (state === 'placed' ? placed(step, now.now) : step),
              now,
            );
          }),
        (error: unknown) =>
          loop.enqueue('refusal of an update', (now) => {
            const { code, message } = toServiceError(error);
            log.warn('an agent did not update itself', { computer, version, code, message });
            this.#retries.failed(computer, now.now);
            heard(
              'an update was not begun',
              (step) =>
                code === 'device_in_use'
                  ? busy(step, now.now)
                  : unanswered.has(code)
                    ? step
                    : refused(step, message, now.now),
              now,
            );
          }),
      );
    });
  }

  #record(row: RolloutRow, now: number): RolloutRecord {
    return recordOf(row, this.#world(this.ports.state, now));
  }

  #world(state: WorkingState, now: number): World {
    return {
      ...{ now, since: this.#since, hasListened: this.ports.directory.hasListened(now) },
      computer: (name) => this.#computer(state, now, name),
      items: () => itemsOf(state.rows.attention.values()),
    };
  }

  #computer(state: WorkingState, now: number, name: string): ComputerNow {
    const { directory, labs } = this.ports;
    const present = directory.get(name);
    const agent =
      present === undefined || !isHeard(present.state)
        ? undefined
        : {
            ...{ inc: present.inc, version: present.version },
            refusal: present.updates?.refusal ?? null,
            failed: present.updates?.failed ?? null,
          };
    const devices = (): readonly KnownDevice[] => labs().devicesOf(name);
    return {
      agent,
      mayBeAsked: this.#retries.isDue(name, now),
      get barred() {
        const person = drainOfPerson(state, name);
        if (person !== undefined) return wordsOfOutage(person);
        const stopped = devices().find(stoppedDevices(state));
        return stopped === undefined ? null : `an emergency stop covers ${stopped.key}`;
      },
      get users() {
        const all = [...(present?.devices ?? [])];
        const moving = all.filter(([, status]) => isMoving(status.state));
        const starting = all.filter(([, status]) => isInitializing(status.state));
        return [
          ...useOf(state, labs(), name).users,
          ...moving.map(([key]) => `a call of ${key}`),
          ...starting.map(([key]) => `the start of ${key}`),
        ];
      },
      get keepers() {
        return useOf(state, labs(), name).keepers;
      },
      get devices() {
        return new Map(devices().map(({ key }) => [key, directory.whyUnusable(name, key)]));
      },
    };
  }
}

/** Only the latest rollout may be open. */
function openRollout({ rows }: WorkingState): RolloutRow | undefined {
  let latest: RolloutRow | undefined;
  for (const row of rows.rollouts.values()) latest = row;
  return latest !== undefined && isOpen(latest) ? latest : undefined;
}

/** The open attention items, but for those about rollouts. */
function* itemsOf(rows: Iterable<AttentionRow>): Iterable<ItemNow> {
  for (const { state, kind, computer, reason, openedAt } of rows) {
    if (state !== 'open' || computer === null || reason.code === 'rollout_halted') continue;
    // A process is `<service>/<name>`.
    const about = kind === 'process' ? computer.replace(/^agent\//, '') : computer;
    yield { computers: [about], openedAt, message: reason.message };
  }
}
