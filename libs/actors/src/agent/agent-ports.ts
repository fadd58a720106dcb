import type { Clock, Ids, Random, Timers } from '@lab/ports';
import type { AgentUpdates, DeviceStatus, RecordedEffect } from '@lab/contracts';
import type { CheckArguments } from '../devices/index.js';
import type { Ledger } from '../ledger/index.js';
import type {
  AgentLog,
  DeviceProcesses,
  Files,
  InstrumentFiles,
  Modules,
  Orchestrator,
  Peers,
  TaskProcesses,
} from '../ports/index.js';

/** Where the calls that may change something are stored centrally. */
export interface EffectStore {
  /**
   * Resolves when the records are stored. Each is stored once, by the id of its call.
   *
   * @throws ServiceError
   */
  store(effects: readonly RecordedEffect[]): Promise<void>;
}

/** Receives what changes in the agent. */
export interface Announcer {
  /** The state of a device changed. */
  deviceChanged(status: DeviceStatus): void;
  /** The agent has a new incarnation. It must be reachable under that number when the promise resolves. */
  incarnated(inc: number): Promise<void>;
}

/** Updates of the program of this agent. */
export interface Updates {
  describe(): AgentUpdates;
  /**
   * Puts a version in place, after which this process stops in order.
   *
   * @param closing calls the given function if nothing runs on this computer, and lets nothing begin from then on; else it throws
   * @throws ServiceError
   */
  update(version: string, by: string, closing: (point: () => void) => void): Promise<'placed' | 'runs'>;
}

/** The only sources of time, chance, memory and effect of an agent. `@lab/actors/testing` has a double of each. */
export interface AgentPorts {
  /** Used for differences only. */
  clock: Clock;
  /** The time of the computer, in milliseconds since 1970. It may step. */
  wall: Clock;
  timers: Timers;
  ids: Ids;
  random: Random;
  log: AgentLog;
  ledger: Ledger;
  modules: Modules;
  checkArguments: CheckArguments;
  deviceProcesses: DeviceProcesses;
  taskProcesses: TaskProcesses;
  orchestrator: Orchestrator;
  peers: Peers;
  files: Files;
  /** Absent: this agent takes no files of instruments. */
  instrumentFiles?: InstrumentFiles;
  announcer: Announcer;
  effects: EffectStore;
  /** Absent: this agent cannot be updated from the service. */
  updates?: Updates;
}
