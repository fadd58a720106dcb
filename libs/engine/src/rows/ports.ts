import type {
  AttemptStatus,
  CodeRuntime,
  DeletionScope,
  DeviceAssignment,
  DeviceStatus,
  Insight,
  JsonObject,
  JsonValue,
  LabSchedule,
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
import type { DeletionRow, LegalHoldRow } from './deletion-rows.js';
import type {
  AgentRow,
  AllocationRow,
  AttemptRow,
  AttentionRow,
  CampaignRow,
  Change,
  DefinitionRow,
  DrainRow,
  EmergencyStopRow,
  OutageRow,
  ProtocolRunRow,
  QueuePauseRow,
  ReservationRow,
  ResourceRow,
  RolloutRow,
  TaskRunRow,
  TrialRow,
} from './rows.js';
import type { UsageRow } from './usage.js';

/** Ports of the engine: its only access to stored rows, agents, optimizers and definitions. */

/** All unfinished rows. The engine loads them at start and after every failed commit. */
export interface WorkingRows {
  campaigns: CampaignRow[];
  protocolRuns: ProtocolRunRow[];
  /** All task runs of unfinished runs, finished ones included, and unfinished on-demand tasks. */
  taskRuns: TaskRunRow[];
  /** Attempts that have not ended. */
  attempts: AttemptRow[];
  /** Trials of unfinished campaigns, by campaign and number. */
  trials: TrialRow[];
  allocations: AllocationRow[];
  resources: ResourceRow[];
  agents: AgentRow[];
  /** Open items. */
  attention: AttentionRow[];
  /** Those in force and the latest 100 released ones. */
  emergencyStops: EmergencyStopRow[];
  /** The pause in force, if there is one. */
  queuePauses: QueuePauseRow[];
  /** The drains in force. */
  drains: DrainRow[];
  /** Those in force. */
  outages: OutageRow[];
  /** Those that have not ended. */
  reservations: ReservationRow[];
  /** The latest 20, oldest first. */
  rollouts: RolloutRow[];
  /** Those that are planned or running. */
  deletions: DeletionRow[];
  /** Those in force. */
  legalHolds: LegalHoldRow[];
  /** What each owner and each laboratory uses, finished work included. */
  usage: UsageRow[];
  /** Definitions that the rows above refer to. */
  definitions: DefinitionRow[];
}

/** Kinds of records that people find by name. */
export type NameKind = 'protocolRun' | 'campaign' | 'onDemandTask';

/** A run or campaign that is over, with everything that a resume needs. */
export interface EndedWork {
  /** For a campaign, the campaign itself; for a run, its campaign, over or not. */
  campaign: CampaignRow | null;
  /** For a run, the run itself; for a campaign, its failed and cancelled runs by creation. */
  protocolRuns: ProtocolRunRow[];
  /** All task runs of these runs, in the order of their protocols. */
  taskRuns: TaskRunRow[];
  /** For a campaign, all its trials by number; for a run, none. */
  trials: TrialRow[];
  /** Definitions that the rows above refer to. */
  definitions: DefinitionRow[];
  /** When the work or its campaign was archived; null: it is not archived. */
  archivedAt: number | null;
}

/** A summary of a campaign, protocol run or on-demand task, over or not. */
export interface NamedWork {
  id: string;
  name: string;
  state: RunState | TaskRunState;
  owner: string;
  /** The laboratories of its protocol; for an on-demand task, those of its devices and resources. */
  labs: string[];
  /** Name of the campaign of a run; else null. */
  campaign: string | null;
  /** When the work or its campaign was archived; null: it is not archived. */
  archivedAt: number | null;
}

/** A page of work that ended before a moment. */
export interface EndedPage {
  /** Milliseconds since 1970. */
  before: number;
  /** The page begins after this id; empty: it is the first page. */
  after: string;
  /** Greatest number of entries. */
  limit: number;
}

/** Durations of the latest completed attempts of one task, newest first. */
export interface DurationSamples {
  /** Type of the protocol; null: an on-demand task. */
  protocol: string | null;
  /** Name of the task within the protocol; for an on-demand task, its type. */
  task: string;
  /** Milliseconds. */
  ms: readonly number[];
}

/** Stores what the engine decided. The store alone determines who leads. */
export interface Store {
  /**
   * Takes the leadership, unless another orchestrator has an unexpired lease.
   *
   * @param instance name of the caller; a lease under the same name does not prevent it
   * @param leaseMs milliseconds, by the clock of the store, during which nobody else can lead; 0: no lease
   * @returns an epoch higher than every earlier one; commits of earlier epochs fail from then on. Null when another
   *   orchestrator has the lease.
   */
  lead(instance: string, leaseMs: number): Promise<number | null>;
  /**
   * Extends the lease of the latest epoch to `leaseMs` from now, also after it has expired.
   *
   * @returns false when somebody else has led since
   */
  renew(epoch: number, leaseMs: number): Promise<boolean>;
  /** Ends the lease of the epoch if it is the latest. Another orchestrator can lead at once. */
  resign(epoch: number): Promise<void>;
  load(): Promise<WorkingRows>;
  /**
   * Applies all changes in one transaction, or none.
   *
   * @throws ServiceError `stale_message` when the epoch is not the latest; `duplicate_name` when the name of a run or
   *   campaign exists, or an unfinished on-demand task has the name; `wrong_state` when a row is in a state that does
   *   not allow a claim, pass or update; `store_unavailable` when the store cannot be reached (nothing was applied)
   */
  commit(epoch: number, changes: readonly Change[]): Promise<void>;
  /** What each owner and each laboratory uses, as {@link WorkingRows.usage}. */
  usage(): Promise<UsageRow[]>;
  /** The given names that exist as a protocol run, campaign or on-demand task, finished ones included. */
  takenNames(kind: NameKind, names: readonly string[]): Promise<Set<string>>;
  /** Durations of the latest completed attempts of every task. @param most greatest number per task */
  durations(most: number): Promise<DurationSamples[]>;
  /** The protocol run or campaign of that name if it is over; undefined: it is unfinished, or there is none. */
  ended(kind: 'protocolRun' | 'campaign', name: string): Promise<EndedWork | undefined>;
  /** The work of that name; the latest of several on-demand tasks; undefined: there is none. */
  named(kind: WorkKind, name: string): Promise<NamedWork | undefined>;
  /** Unarchived work that belongs to no other work and ended before a moment, by id. */
  endedBefore(kind: WorkKind, page: EndedPage): Promise<NamedWork[]>;
  /**
   * Work that nobody has deleted or kept, by id: for `everything`, what was archived before the moment and is archived; for
   * `files`, what ended before the moment.
   */
  deletableBefore(kind: WorkKind, what: DeletionScope, page: EndedPage): Promise<NamedWork[]>;
  close(): Promise<void>;
}

/** Commands to agents. A rejection is a ServiceError; its `effect` says whether the agent may have acted. */
export interface Agents {
  /** Asks whether the process of an incarnation lives. Never rejects. */
  presence(of: AgentAddress): Promise<AgentPresence>;
  start(to: AgentAddress, start: TaskStart): Promise<AttemptStatus>;
  cancel(to: AgentAddress, attemptId: string, reason: string): Promise<AttemptStatus>;
  status(to: AgentAddress, attemptId: string): Promise<AttemptStatus>;
  assignDevices(to: AgentAddress, devices: DeviceAssignment[]): Promise<void>;
  /**
   * Lets an agent fetch and install code before devices get it. An agent of an earlier release does nothing and answers.
   *
   * @param devices those that it runs at present
   * @throws ServiceError also `not_found` and `forbidden` when the agent cannot have the code
   */
  provideCode(to: AgentAddress, devices: DeviceAssignment[], module: ModuleReference): Promise<void>;
  /** Restarts an uncertain or faulted device. @param doubtId the doubt that is settled; null: the device has none */
  resetDevice(
    to: AgentAddress,
    device: { lab: string; name: string },
    doubtId: string | null,
    by: string,
  ): Promise<void>;
  /** Ends the process of a device in order and starts a new one. @returns its status, in which it takes no calls */
  restartDevice(
    to: AgentAddress,
    device: { lab: string; name: string },
    by: string,
    reason: string,
  ): Promise<DeviceStatus>;
  /**
   * Asks an agent to update itself. It may be asked again.
   *
   * @returns `placed`: it stops now, and its keeper tries the version; `runs`: it runs the version already
   * @throws ServiceError also `device_in_use` while something runs there, and `forbidden`, `wrong_state` with a sentence when
   * the agent refuses
   */
  update(to: AgentAddress, version: string, by: string): Promise<'placed' | 'runs'>;
}

/** `answers`: the process lives. `gone`: no process listens under this incarnation. `silent`: nobody can know. */
export type AgentPresence = 'answers' | 'gone' | 'silent';

export interface AgentAddress {
  computer: string;
  inc: number;
  epoch: number;
  /** Number of the newest heartbeat heard of the agent, 0 before the first. Only starts carry it. */
  fresh?: number;
}

/** What a worker needs to make an optimizer. */
export interface OptimizerMaking {
  /** Description of the protocol in words, for a language model. */
  protocol: string;
  /** `TASK.PARAMETER` of the integer parameters that a run supplies. */
  integers: string[];
  module: ModuleReference;
  /** Replace constructor arguments of the same names; secrets in them are sealed. */
  overrides: JsonObject;
}

/**
 * Optimizer workers, by the address of their computer. Rejections are ServiceErrors. `invalid` and `optimizer_error`
 * come from the optimizer itself and would come again; after any other error the session is over.
 */
export interface Optimizers {
  /**
   * Makes an optimizer, reads its description and discards it.
   *
   * @param given parameters of runs; the optimizer checks those that contain all its inputs
   * @throws ServiceError `invalid`, for a row with its path: `given[3].mix_colors.cyan_volume`;
   *   `optimizer_unavailable` when no worker is connected
   */
  describe(
    address: string,
    making: OptimizerMaking,
    given?: readonly TaskParameters[],
  ): Promise<OptimizerDescription>;
  /** Makes the optimizer of a campaign and replaces the one of any earlier session. It has no trials yet. */
  open(
    address: string,
    campaign: { id: string; name: string },
    making: OptimizerMaking,
    runtimeParams: RuntimeParameterValues,
  ): Promise<OptimizerSession>;
  /** Calls `listener` with the addresses of each worker that connects. The returned function ends this. */
  onArrival(listener: (addresses: readonly string[]) => void): () => void;
}

/** One session with the optimizer of a campaign. */
export interface OptimizerSession {
  readonly id: string;
  /** Name of its worker. */
  readonly worker: string;
  /** What executes the optimizer; undefined: its worker has not said. */
  readonly runtime?: CodeRuntime | undefined;
  /** Reports trials that are new or have another state. A repeated report changes nothing. */
  tell(trials: readonly Trial[]): Promise<void>;
  /**
   * Proposes a row for each run. The same run always gets the same row.
   *
   * @param schedule unfinished work, for an optimizer that chooses by it; absent: none is known
   */
  propose(
    runs: readonly { number: number; run: string }[],
    insights: readonly Insight[],
    schedule?: LabSchedule,
  ): Promise<{ trials: readonly Trial[]; insights_used: readonly string[] }>;
  /** Changes all given parameters, or none. @returns all parameters after the change */
  configure(params: RuntimeParameterValues): Promise<RuntimeParameterValues>;
  /** The best rows that were measured. */
  best(): Promise<Trial['inputs'][]>;
  /** What the model of the optimizer has learnt; null: the optimizer does not explain itself. */
  explain(): Promise<JsonValue>;
  close(): Promise<void>;
  /** Calls `listener` at most once, when the session ends without a call of {@link close}. */
  onLost(listener: (reason: string) => void): void;
}

/** The loaded definitions. Accepted runs keep the snapshot with which they were accepted. */
export interface Definitions {
  protocol(type: string): ProtocolSnapshot | undefined;
  task(type: string): TaskSnapshot | undefined;
  protocolTypes(): string[];
  taskTypes(): string[];
  labs(): LabDefinition[];
  /** The device type as the devices of that laboratory use it. */
  deviceType(type: string, lab: string): DeviceDefinition | undefined;
  /** False: the laboratory is about to be unloaded or reloaded. Accepted work goes on; new work is refused. */
  takesWork(lab: string): boolean;
}

/**
 * The computers that the laboratories on disk name, loaded or not; null: not all of these laboratories can be read. The
 * files are read again unless the wanted computer is known already.
 */
export type ComputersOnDisk = (wanted: string) => Promise<Iterable<string> | null>;

/** Receives measurements of the engine's work, for metrics. */
export interface Measures {
  /** A turn or its commit begins. The returned function is called when it is over, also after an error. */
  begin(what: 'turn' | 'commit'): () => void;
  /** These changes were committed. */
  committed(changes: readonly Change[]): void;
}
