import type {
  AttemptStatus,
  DeviceAssignment,
  Insight,
  JsonObject,
  JsonValue,
  ModuleReference,
  OptimizerDescription,
  RunState,
  RuntimeParameterValues,
  TaskParameters,
  TaskRunState,
  TaskStart,
  Trial,
  WorkKind,
} from '@lab/contracts';
import type { LabDefinition, DeviceDefinition, ProtocolSnapshot, TaskSnapshot } from '@lab/definitions/model';
import type {
  AgentRow,
  AllocationRow,
  AttemptRow,
  AttentionRow,
  CampaignRow,
  Change,
  DefinitionRow,
  HaltRow,
  ProtocolRunRow,
  ResourceRow,
  TaskRunRow,
  TrialRow,
} from './rows.js';

/** The engine's only sources of time, chance, memory and effect. Each has an in-memory twin under the same contract. */

/** Everything that is not over, loaded at start and after every failed commit. */
export interface WorkingRows {
  campaigns: CampaignRow[];
  protocolRuns: ProtocolRunRow[];
  /** Of unfinished runs all task runs, finished ones included; and unfinished on-demand tasks. */
  taskRuns: TaskRunRow[];
  /** Not yet ended. */
  attempts: AttemptRow[];
  /** Of campaigns that are not over, by campaign and number. */
  trials: TrialRow[];
  allocations: AllocationRow[];
  resources: ResourceRow[];
  agents: AgentRow[];
  /** Open ones. */
  attention: AttentionRow[];
  /** Those in force, and the latest 100 that were released. */
  halts: HaltRow[];
  /** Those that the rows above refer to. */
  definitions: DefinitionRow[];
}

/** Records that people find by name. */
export type NameKind = 'protocolRun' | 'campaign' | 'onDemandTask';

/** A run or campaign that is over, with everything that would go on if it were resumed. */
export interface EndedWork {
  /** The campaign itself; of a run the campaign it belongs to, over or not. */
  campaign: CampaignRow | null;
  /** The run itself; of a campaign its runs that failed or were cancelled, in the order of their creation. */
  protocolRuns: ProtocolRunRow[];
  /** All task runs of these runs, in the order of their protocols. */
  taskRuns: TaskRunRow[];
  /** Of a campaign all of its trials, by number; of a run none. */
  trials: TrialRow[];
  /** Those that the rows above refer to. */
  definitions: DefinitionRow[];
  /** Since when it, or the campaign it belongs to, is archived; null: it is not. */
  archivedAt: number | null;
}

/** A campaign, protocol run or on-demand task in short, over or not. */
export interface NamedWork {
  id: string;
  name: string;
  state: RunState | TaskRunState;
  owner: string;
  /** The laboratories of its protocol; of an on-demand task those of its devices and resources. */
  labs: string[];
  /** Name of the campaign that a run belongs to; else null. */
  campaign: string | null;
  /** Since when it, or the campaign it belongs to, is archived; null: it is not. */
  archivedAt: number | null;
}

/** Some of what ended long ago. */
export interface EndedPage {
  /** Milliseconds since 1970. */
  before: number;
  /** Id behind which to go on; empty: from the beginning. */
  after: string;
  /** Most pieces of work. */
  limit: number;
}

/** How long completed attempts of one task took, newest first. */
export interface DurationSamples {
  /** Type of the protocol; null: on-demand tasks. */
  protocol: string | null;
  /** Name of the task within the protocol; of on-demand tasks their type. */
  task: string;
  /** Milliseconds. */
  ms: readonly number[];
}

/** The authority on what was decided. */
export interface Store {
  /**
   * Becomes the leader, unless another one has a lease that is not over.
   *
   * @param instance name of who asks; a lease under the same name is no hindrance
   * @param leaseMs for how long nobody else can lead, in milliseconds from now by the clock of the store; 0: for no time
   * @returns an epoch higher than every earlier one, from which on commits of earlier epochs fail; null when another one
   *   has the lease
   */
  lead(instance: string, leaseMs: number): Promise<number | null>;
  /** Makes the lease of the latest epoch last `leaseMs` from now, over or not. @returns false: somebody else has led since */
  renew(epoch: number, leaseMs: number): Promise<boolean>;
  /** Ends the lease of the epoch, if it is the latest: another one can lead at once. */
  resign(epoch: number): Promise<void>;
  load(): Promise<WorkingRows>;
  /**
   * Applies all changes in one transaction, or none.
   *
   * @throws ServiceError `stale_message` when the epoch is not the latest; `duplicate_name` when the name of a run or
   *   campaign exists, or an unfinished on-demand task has the name; `wrong_state` when a claim, pass or update finds
   *   another state than the change presumes; `store_unavailable` when the store cannot be reached (nothing applied).
   */
  commit(epoch: number, changes: readonly Change[]): Promise<void>;
  /** Which of the names exist as a protocol run, campaign or on-demand task, finished ones included. */
  takenNames(kind: NameKind, names: readonly string[]): Promise<Set<string>>;
  /** How long the latest completed attempts of every task took. @param most how many of each task at most */
  durations(most: number): Promise<DurationSamples[]>;
  /** The protocol run or campaign of that name, if it is over; undefined when it is not, or there is none. */
  ended(kind: 'protocolRun' | 'campaign', name: string): Promise<EndedWork | undefined>;
  /** The work of that name, of on-demand tasks the latest; undefined: there is none. */
  named(kind: WorkKind, name: string): Promise<NamedWork | undefined>;
  /** What has ended before a moment, belongs to nothing else and is not archived, by id. */
  endedBefore(kind: WorkKind, page: EndedPage): Promise<NamedWork[]>;
  close(): Promise<void>;
}

/** The way to the agents. Rejections are ServiceErrors whose `effect` says what is known. */
export interface Agents {
  start(to: AgentAddress, start: TaskStart): Promise<AttemptStatus>;
  cancel(to: AgentAddress, attemptId: string, reason: string): Promise<AttemptStatus>;
  status(to: AgentAddress, attemptId: string): Promise<AttemptStatus>;
  assignDevices(to: AgentAddress, devices: DeviceAssignment[]): Promise<void>;
  /** Has an uncertain or faulted device started anew. @param doubtId which doubt is settled; null: it has none */
  resetDevice(
    to: AgentAddress,
    device: { lab: string; name: string },
    doubtId: string | null,
    by: string,
  ): Promise<void>;
}

export interface AgentAddress {
  computer: string;
  inc: number;
  epoch: number;
  /** Number of the newest heartbeat heard of it, 0 before the first; only starts carry it. */
  fresh?: number;
}

/** What an optimizer is made of. */
export interface OptimizerMaking {
  /** What the protocol does, in words, for an AI. */
  protocol: string;
  module: ModuleReference;
  /** Laid over its arguments; secrets in it are sealed. */
  overrides: JsonObject;
}

/**
 * The way to the optimizer workers, by the address of their computer. Rejections are ServiceErrors: `invalid` and
 * `optimizer_error` are the optimizer's own and would come again; after any other the session is over.
 */
export interface Optimizers {
  /**
   * Makes an optimizer, asks what it is, and drops it.
   *
   * @param given parameters of runs; those with all of its inputs must be rows that it takes
   * @throws ServiceError `invalid`, of a row with its path: `given[3].mix_colors.cyan_volume`; `optimizer_unavailable`: no
   *   worker is there
   */
  describe(
    address: string,
    making: OptimizerMaking,
    given?: readonly TaskParameters[],
  ): Promise<OptimizerDescription>;
  /** Makes the optimizer of a campaign, instead of the one of an earlier session. It knows of no trial yet. */
  open(
    address: string,
    campaign: { id: string; name: string },
    making: OptimizerMaking,
    runtimeParams: RuntimeParameterValues,
  ): Promise<OptimizerSession>;
  /** Calls back when a worker has appeared, with its addresses. @returns ends it */
  onArrival(listener: (addresses: readonly string[]) => void): () => void;
}

/** One life of the optimizer of a campaign. */
export interface OptimizerSession {
  readonly id: string;
  /** Name of its worker. */
  readonly worker: string;
  /** Trials that are new or have another state; the same again changes nothing. */
  tell(trials: readonly Trial[]): Promise<void>;
  /** The same run again gives the same row. */
  propose(
    runs: readonly { number: number; run: string }[],
    insights: readonly Insight[],
  ): Promise<{ trials: readonly Trial[]; insights_used: readonly string[] }>;
  /** Changes parameters: all of them, or none. @returns all parameters as they are then */
  configure(params: RuntimeParameterValues): Promise<RuntimeParameterValues>;
  /** The best rows measured. */
  best(): Promise<Trial['inputs'][]>;
  /** What its model has learnt; null: it says nothing of it. */
  explain(): Promise<JsonValue>;
  close(): Promise<void>;
  /** Calls back at most once, when the session is known to be over without having been closed. */
  onLost(listener: (reason: string) => void): void;
}

/** What is loaded now. Runs that were accepted keep the snapshot they were accepted with. */
export interface Definitions {
  protocol(type: string): ProtocolSnapshot | undefined;
  task(type: string): TaskSnapshot | undefined;
  protocolTypes(): string[];
  taskTypes(): string[];
  labs(): LabDefinition[];
  /** The device type as it is for the devices of that laboratory. */
  deviceType(type: string, lab: string): DeviceDefinition | undefined;
  /** False: the laboratory is to be unloaded or reloaded; work that was accepted goes on, new work is refused. */
  takesWork(lab: string): boolean;
}

/** What is measured of the engine's work, by whoever wants to. */
export interface Measures {
  /** A turn, or the commit of one, begins; the returned function is called when it is over, however it ended. */
  begin(what: 'turn' | 'commit'): () => void;
  /** Changes were committed. */
  committed(changes: readonly Change[]): void;
}
