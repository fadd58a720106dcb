import type { AttemptOutcome, EffectState, JsonObject } from '@lab/contracts';
import type { Change } from '@lab/engine';
import type { StoredEvent } from '@lab/engine/testing';

/** An entry in the log of an instrument: a motion begins or ends. */
export interface InstrumentEntry {
  /** Milliseconds since 1970. */
  at: number;
  what: 'begin' | 'end';
  /** Names the call: `<attempt>#<number>`, or `by-hand-<n>#1` for a person's call. */
  tag: string;
  function: string;
  /** Number of the call at the driver. */
  callId: string;
}

/** Tags and ids of calls by people begin with this. */
export const byHand = 'by-hand-';

/** One execution of the code of a task, as the task noted it. */
export interface Execution {
  attempt: string;
  computer: string;
  beganAt: number;
  /** What the code returned; undefined: it was stopped, failed or lost. */
  returned: { at: number; outputs: JsonObject } | undefined;
  files: { name: string; size: number; sha256: string }[];
}

export interface Commit {
  at: number;
  epoch: number;
  changes: readonly Change[];
}

/** An accepted submission. */
export interface Acceptance {
  at: number;
  kind: 'protocolRun' | 'campaign' | 'onDemandTask';
  name: string;
  id: string;
}

/** An emergency stop. */
export interface Stop {
  /** `all` or `device:<lab>.<device>`. */
  scope: string;
  /** When the person got the answer that the stop is recorded. */
  engagedAt: number | undefined;
  /** When a person asked for its release. */
  releasedAt: number | undefined;
  /** When the agent of each computer heard of the stop. */
  heardAt: Map<string, number>;
}

/** A process died or was lost to the others, or people engaged an emergency stop. */
export interface Loss {
  at: number;
  until: number;
  kind: 'agent' | 'orchestrator' | 'device' | 'task' | 'stop';
  /** Computer, instance, or `<lab>.<device>`. */
  who: string;
}

/**
 * What really happened. It is recorded outside of all processes, so no crash loses it, and the checker judges nothing
 * else. Of engine and agents it holds only what they committed, wrote to a ledger, or answered.
 */
export class History {
  readonly instruments = new Map<string, InstrumentEntry[]>();
  readonly executions: Execution[] = [];
  readonly commits: Commit[] = [];
  /** Beginning of each epoch. */
  readonly leaderships: { at: number; epoch: number; instance: string }[] = [];
  readonly acceptances: Acceptance[] = [];
  /** Results in the ledgers of agents that died. */
  readonly durableResults: { computer: string; attempt: string; outcome: AttemptOutcome }[] = [];
  readonly losses: Loss[] = [];
  /** By id. */
  readonly stops = new Map<string, Stop>();
  /** State in the stored record of each call that may change something, by the tag of the call. */
  readonly effects = new Map<string, EffectState>();
  /** Files in the object store, by `<attempt>/<name>`. */
  readonly stored = new Map<string, { size: number; sha256: string }>();
  events: readonly StoredEvent[] = [];
  /** Errors other than ServiceErrors: no fault explains them. */
  readonly defects: string[] = [];
  /** The trace. */
  readonly lines: string[] = [];

  constructor(private readonly now: () => number) {}

  note(what: string, detail?: unknown): void {
    const text =
      detail === undefined ? '' : ` ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`;
    this.lines.push(`${((this.now() - epochMs) / 1000).toFixed(4)} ${what}${text}`);
  }

  stop(id: string): Stop {
    const known = this.stops.get(id) ?? {
      scope: 'all',
      engagedAt: undefined,
      releasedAt: undefined,
      heardAt: new Map<string, number>(),
    };
    this.stops.set(id, known);
    return known;
  }

  defect(what: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.defects.push(`${what}: ${text}`);
    this.note(`DEFECT ${what}`, error instanceof Error ? error.message : String(error));
  }
}

/** Beginning of every simulation, in milliseconds since 1970. */
export const epochMs = 1_700_000_000_000;
