import type { AttemptCalls, EmergencyStop } from '@lab/contracts';
import { forgetOldest, remember, type OtherAgent, type SpooledFile } from '../ports/index.js';
import type { AttemptEnd, CallEnding, LedgerRecord, RecordedCall, UnstoredCall } from './records.js';
import { UnstoredCalls } from './unstored-calls.js';

/** The records of an attempt that is not closed. */
export interface AttemptHistory {
  attemptId: string;
  label: string;
  /** Other computers that run devices of the attempt. */
  elsewhere: readonly OtherAgent[];
  begun: boolean;
  end: (AttemptEnd & { files: SpooledFile[] }) | undefined;
  result: AttemptEnd | undefined;
}

/** A recorded call. If `ending` is undefined, the call is in progress or its end is not known. */
export interface KnownCall {
  call: RecordedCall;
  ending: CallEnding | undefined;
}

interface EndedCall extends KnownCall {
  ending: CallEnding;
}

/** How many settled facts a ledger remembers. */
export interface LedgerMemory {
  /** Number of acknowledged attempts, and of attempts that never ran, so that a late repeat of their start runs nothing. */
  attempts: number;
  /** Number of ended calls of people, and of tasks on other computers, so that a repeat gets the earlier answer. */
  calls: number;
}

export const defaultLedgerMemory: LedgerMemory = { attempts: 1_000, calls: 1_000 };

/** An attempt that is not settled belongs to one of the latest incarnations. */
const rememberedIncarnations = 100;

/** The leader knows the session of the process that registered last. Those after it may have ended before they registered. */
const rememberedSessions = 20;

const lost: CallEnding = {
  kind: 'failed',
  code: 'device_error',
  message: 'whether the call took effect is not known: its device or its agent ended in the middle of it',
  effect: 'maybe',
  lost: true,
};

/** The meaning of the records of a ledger. It also decides which records still matter. */
export class LedgerState {
  readonly #attempts = new Map<string, AttemptHistory>();
  readonly #tallies = new Map<string, AttemptCalls>();
  readonly #acknowledged = new Set<string>();
  readonly #tombstones = new Set<string>();
  readonly #open = new Map<string, RecordedCall>();
  readonly #endedOfPeople = new Map<string, EndedCall>();
  readonly #endedOfTasks = new Map<string, EndedCall>();
  readonly #fences = new Map<string, number>();
  readonly #confirmed = new Map<string, RecordedCall>();
  readonly #stops = new Map<string, EmergencyStop>();
  readonly #incarnations = new Set<number>();
  readonly #sessions = new Set<string>();
  readonly #unstored = new UnstoredCalls();

  constructor(
    private readonly memory: LedgerMemory = defaultLedgerMemory,
    records: Iterable<LedgerRecord> = [],
  ) {
    for (const record of records) this.apply(record);
  }

  /** Attempts that are neither acknowledged nor declared never to run, in order of acceptance. */
  get attempts(): ReadonlyMap<string, AttemptHistory> {
    return this.#attempts;
  }

  /** Ids of attempts whose result was acknowledged, the newest last. */
  get acknowledged(): ReadonlySet<string> {
    return this.#acknowledged;
  }

  /** Ids of attempts that are refused for ever, the newest last. */
  get tombstones(): ReadonlySet<string> {
    return this.#tombstones;
  }

  /** The highest fence seen of each device, by `<lab>.<device>`. */
  get fences(): ReadonlyMap<string, number> {
    return this.#fences;
  }

  /** The emergency stops in force. */
  get emergencyStops(): readonly EmergencyStop[] {
    return [...this.#stops.values()];
  }

  /** The latest incarnations that kept this ledger and whose records are complete. */
  get incarnations(): ReadonlySet<number> {
    return this.#incarnations;
  }

  /** The sessions of the latest processes that kept this ledger, the newest last. */
  get sessions(): readonly string[] {
    return [...this.#sessions];
  }

  /** Notes that records may be missing, so that a missing record no longer proves anything. */
  forgetIncarnations(): void {
    this.#incarnations.clear();
  }

  /** Finds a call on a device of this computer; undefined: it never began, or ended long ago. */
  call(callId: string): KnownCall | undefined {
    const open = this.#open.get(callId);
    if (open !== undefined) return { call: open, ending: undefined };
    return this.#endedOfPeople.get(callId) ?? this.#endedOfTasks.get(callId);
  }

  /** The effects of a device that began and have no known end, oldest first. */
  inDoubt(device: string): RecordedCall[] {
    return this.openCalls().filter((call) => call.kind === 'effect' && call.device === device);
  }

  /** All calls on devices of this computer that began and have no known end, oldest first. */
  openCalls(): RecordedCall[] {
    return [...this.#open.values()].filter(({ computer }) => computer === undefined);
  }

  /** The last call of a device that is known to have ended. */
  lastConfirmed(device: string): RecordedCall | undefined {
    return this.#confirmed.get(device);
  }

  /** The calls on devices of this computer whose records are not stored centrally, oldest first. */
  get unstored(): ReadonlyMap<string, UnstoredCall> {
    return this.#unstored.all;
  }

  /** The device calls of an attempt, here and on other computers, until it is acknowledged. */
  callsOf(attemptId: string): AttemptCalls {
    const tally = this.#tallies.get(attemptId) ?? emptyTally();
    const open = [...this.#open.values()].find(
      (call) => call.attemptId === attemptId && call.kind === 'effect',
    );
    return { ...tally, in_doubt: open === undefined ? tally.in_doubt : doubtOf(open) };
  }

  apply(record: LedgerRecord): void {
    switch (record.type) {
      case 'accept':
        this.#attempts.set(record.attemptId, {
          attemptId: record.attemptId,
          label: record.label,
          elsewhere: record.elsewhere ?? [],
          begun: false,
          end: undefined,
          result: undefined,
        });
        for (const [device, fence] of Object.entries(record.fences ?? {})) this.#raise(device, fence);
        return;
      case 'begin':
        this.#amend(record.attemptId, { begun: true });
        return;
      case 'end':
        this.#amend(record.attemptId, { end: { ...endOf(record), files: record.files } });
        return;
      case 'result':
        this.#amend(record.attemptId, { result: endOf(record) });
        return;
      case 'acked':
        this.#close(record.attemptId, this.#acknowledged);
        return;
      case 'tombstone':
        this.#close(record.attemptId, this.#tombstones);
        return;
      case 'tally':
        this.#tallies.set(record.attemptId, record.calls);
        return;
      case 'call_begin':
        this.#beginCall(record.call);
        return;
      case 'call_end':
        this.#endCall(record.callId, record.ending);
        this.#unstored.end(record.callId, shownEnding(record), record.atMs);
        return;
      case 'settled':
        for (const call of this.openCalls()) {
          if (call.device !== record.device) continue;
          this.#lose(call);
          // The time of the decision says nothing about the end of the call.
          this.#unstored.end(call.callId, lost, undefined);
        }
        return;
      case 'call_over':
        this.#remember(record.call, record.ending);
        return;
      case 'device':
        if (record.fence !== undefined) this.#raise(record.device, record.fence);
        if (record.lastConfirmed !== undefined) this.#confirmed.set(record.device, record.lastConfirmed);
        return;
      case 'calls_stored':
        this.#unstored.stored(record.callIds);
        return;
      case 'call_unstored':
        this.#unstored.restore(record.unstored);
        return;
      case 'incarnation':
        this.#incarnations.add(record.inc);
        forgetOldest(this.#incarnations, rememberedIncarnations);
        return;
      case 'session':
        remember(this.#sessions, record.session, rememberedSessions);
        return;
      case 'halt':
        this.#stops.set(record.halt.id, record.halt);
        return;
      case 'released':
        for (const id of record.ids) this.#stops.delete(id);
        return;
    }
  }

  /** Returns records that produce the same state. */
  records(): LedgerRecord[] {
    return [
      ...[...this.#attempts.values()].flatMap((history) => this.#recordsOf(history)),
      ...[...this.#endedOfTasks.values(), ...this.#endedOfPeople.values()].map((over) => ({
        type: 'call_over' as const,
        ...over,
      })),
      ...[...this.#open.values()].map((call) => ({ type: 'call_begin' as const, call })),
      ...this.#unstored.records(),
      ...[...new Set([...this.#fences.keys(), ...this.#confirmed.keys()])].map((device) => {
        const fence = this.#fences.get(device);
        const lastConfirmed = this.#confirmed.get(device);
        return {
          type: 'device' as const,
          device,
          ...(fence === undefined ? {} : { fence }),
          ...(lastConfirmed === undefined ? {} : { lastConfirmed }),
        };
      }),
      ...[...this.#acknowledged].map((attemptId) => ({ type: 'acked' as const, attemptId })),
      ...[...this.#tombstones].map((attemptId) => ({ type: 'tombstone' as const, attemptId })),
      ...[...this.#incarnations].map((inc) => ({ type: 'incarnation' as const, inc })),
      ...this.sessions.map((session) => ({ type: 'session' as const, session })),
      ...this.emergencyStops.map((halt) => ({ type: 'halt' as const, halt })),
    ];
  }

  #recordsOf({ attemptId, label, elsewhere, begun, end, result }: AttemptHistory): LedgerRecord[] {
    const tally = this.#tallies.get(attemptId);
    const again = [...this.#open.values()].filter(
      (call) => call.attemptId === attemptId && call.kind === 'effect',
    );
    return [
      { type: 'accept', attemptId, label, ...(elsewhere.length === 0 ? {} : { elsewhere: [...elsewhere] }) },
      ...(begun ? [{ type: 'begin' as const, attemptId }] : []),
      // The records of open calls follow and are counted again.
      ...(tally === undefined
        ? []
        : [
            {
              type: 'tally' as const,
              attemptId,
              calls: { ...tally, effects: tally.effects - again.length },
            },
          ]),
      ...(end === undefined ? [] : [{ type: 'end' as const, attemptId, ...end }]),
      ...(result === undefined ? [] : [{ type: 'result' as const, attemptId, ...result }]),
    ];
  }

  #amend(attemptId: string, what: Partial<AttemptHistory>): void {
    const history = this.#attempts.get(attemptId);
    if (history !== undefined) Object.assign(history, what);
  }

  #close(attemptId: string, ids: Set<string>): void {
    this.#attempts.delete(attemptId);
    this.#tallies.delete(attemptId);
    // Its effects in doubt stay until their device is settled. All other open calls no longer matter.
    for (const [callId, call] of this.#open) {
      if (call.attemptId !== attemptId) continue;
      if (call.computer === undefined && call.kind === 'effect') continue;
      this.#open.delete(callId);
      this.#unstored.end(callId, lost, undefined);
    }
    ids.add(attemptId);
    forgetOldest(ids, this.memory.attempts);
  }

  #beginCall(call: RecordedCall): void {
    if (call.computer === undefined && call.fence !== undefined) this.#raise(call.device, call.fence);
    this.#open.set(call.callId, call);
    this.#unstored.begin(call);
    if (call.kind === 'effect') this.#count(call, (tally) => ({ effects: tally.effects + 1 }));
  }

  #endCall(callId: string, ending: CallEnding): void {
    const call = this.#open.get(callId);
    if (call === undefined) return;
    this.#open.delete(callId);
    const neverBegan = ending.kind === 'failed' && ending.effect === 'none';
    if (neverBegan) {
      if (call.kind === 'effect') this.#count(call, (tally) => ({ effects: tally.effects - 1 }));
    } else {
      if (call.computer === undefined) this.#confirmed.set(call.device, call);
      this.#count(call, () => ({ last_confirmed: mentionOf(call) }));
    }
    this.#remember(call, ending);
  }

  #lose(call: RecordedCall): void {
    this.#open.delete(call.callId);
    if (call.kind === 'effect') this.#count(call, () => ({ in_doubt: doubtOf(call) }));
    this.#remember(call, lost);
  }

  /** Remembers an ended call for its repeat. Calls of local attempts use no network, so they are never repeated. */
  #remember(call: RecordedCall, ending: CallEnding): void {
    if (call.computer !== undefined || this.#isOwn(call)) return;
    const ended = call.attemptId === undefined ? this.#endedOfPeople : this.#endedOfTasks;
    ended.set(call.callId, { call, ending });
    forgetOldest(ended, this.memory.calls);
  }

  #isOwn({ attemptId }: RecordedCall): boolean {
    return attemptId !== undefined && (this.#attempts.has(attemptId) || this.#acknowledged.has(attemptId));
  }

  #count({ attemptId }: RecordedCall, change: (tally: AttemptCalls) => Partial<AttemptCalls>): void {
    if (attemptId === undefined || !this.#attempts.has(attemptId)) return;
    const tally = this.#tallies.get(attemptId) ?? emptyTally();
    this.#tallies.set(attemptId, { ...tally, ...change(tally) });
  }

  #raise(device: string, fence: number): void {
    this.#fences.set(device, Math.max(fence, this.#fences.get(device) ?? 0));
  }
}

/** How a call ended, for people. What answers a repeat of the call may lack its value, or be an error in its place. */
function shownEnding({ ending, shown }: LedgerRecord & { type: 'call_end' }): CallEnding {
  return shown === undefined ? ending : { kind: 'returned', value: shown };
}

function endOf({ outcome, endedMs, runtime }: AttemptEnd): AttemptEnd {
  return {
    outcome,
    ...(endedMs === undefined ? {} : { endedMs }),
    ...(runtime === undefined ? {} : { runtime }),
  };
}

function emptyTally(): AttemptCalls {
  return { effects: 0, last_confirmed: null, in_doubt: null };
}

function mentionOf({
  device,
  function: name,
  callId,
}: RecordedCall): NonNullable<AttemptCalls['last_confirmed']> {
  return { device, function: name, call_id: callId };
}

/** A call in doubt with its arguments, by which a person can check what it did. */
function doubtOf(call: RecordedCall): NonNullable<AttemptCalls['in_doubt']> {
  const { arguments: given } = call;
  return { ...mentionOf(call), ...(given === undefined ? {} : { arguments: given }) };
}
