import type { AttemptOutcome, JsonObject } from '@lab/contracts';
import type { Change } from '@lab/engine';
import type { StoredEvent } from '@lab/engine/testing';

/** A physical effect of an instrument, as its own log has it. */
export interface InstrumentEntry {
  /** Milliseconds since 1970. */
  at: number;
  what: 'begin' | 'end';
  /** Given by whoever asked for the effect: `<attempt>#<number>`, or `<person's call>`. */
  tag: string;
  function: string;
  /** The id under which the call reached the driver. */
  callId: string;
}

/** What the tags and ids of people's own calls begin with. */
export const byHand = 'by-hand-';

/** The code of a task ran, as the task itself saw it. */
export interface Execution {
  attempt: string;
  computer: string;
  beganAt: number;
  /** What it returned; undefined: it was stopped, failed or lost. */
  returned: { at: number; outputs: JsonObject } | undefined;
  files: { name: string; size: number; sha256: string }[];
}

export interface Commit {
  at: number;
  epoch: number;
  changes: readonly Change[];
}

/** A submission that was answered with success. */
export interface Acceptance {
  at: number;
  kind: 'protocolRun' | 'campaign' | 'onDemandTask';
  name: string;
  id: string;
}

/** A result that was found to be durable in a ledger. */
export interface DurableResult {
  at: number;
  computer: string;
  attempt: string;
  outcome: AttemptOutcome;
}

/** An emergency stop of people. */
export interface Stop {
  /** `all` or `device:<lab>.<device>`. */
  scope: string;
  /** When the person was told that it is recorded. */
  engagedAt: number | undefined;
  /** When a person asked for its end. */
  releasedAt: number | undefined;
  /** Computer to when its agent heard of it. */
  heardAt: Map<string, number>;
}

/** A process died, or was lost to the others; or people stopped everything. */
export interface Loss {
  at: number;
  until: number;
  kind: 'agent' | 'orchestrator' | 'device' | 'task' | 'stop';
  /** Computer, instance, or `<lab>.<device>`. */
  who: string;
}

/**
 * What really happened, gathered outside all crashes: the only thing that the checker looks at. Nothing of it comes from
 * what the engine or the agents say of themselves, but for what they committed, made durable or answered.
 */
export class History {
  readonly instruments = new Map<string, InstrumentEntry[]>();
  readonly executions: Execution[] = [];
  readonly commits: Commit[] = [];
  /** Each epoch with when it began. */
  readonly leaderships: { at: number; epoch: number; instance: string }[] = [];
  readonly acceptances: Acceptance[] = [];
  readonly durableResults: DurableResult[] = [];
  readonly losses: Loss[] = [];
  /** By id. */
  readonly stops = new Map<string, Stop>();
  /** What the object store holds, by `<attempt>/<name>`. */
  readonly stored = new Map<string, { size: number; sha256: string }>();
  events: readonly StoredEvent[] = [];
  /** Errors that no fault explains: exceptions where only ServiceErrors may be. */
  readonly defects: string[] = [];
  /** One line per thing that happened. */
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

/** When every simulation begins, in milliseconds since 1970. */
export const epochMs = 1_700_000_000_000;
