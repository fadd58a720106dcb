import { SequentialIds, type MemoryDefinitions } from '@lab/engine/testing';
import { laboratoryOf, type Step } from '../plan/laboratory.js';
import type { Fault, Schedule } from '../plan/schedule.js';
import { Database } from './database.js';
import { Points } from './fault-points.js';
import { History, epochMs } from './history.js';
import { Network } from './network.js';
import { SimulatedObjectStore } from './object-store.js';
import { SimulatedTime } from './simulated-time.js';

/** What the processes of a simulation run in: time, network, database, files, and the history of what happens. */
export class Surroundings {
  readonly seed: number;
  readonly time = new SimulatedTime(epochMs);
  readonly history = new History(() => this.time.now());
  readonly points = new Points();
  readonly ids = new SequentialIds();
  readonly network: Network;
  readonly database: Database;
  readonly objectStore: SimulatedObjectStore;
  readonly definitions: MemoryDefinitions;
  /** What the code of each task type does, by the hash of its module. */
  readonly code: ReadonlyMap<string, readonly Step[]>;
  /** Processes that end are started again. */
  open = true;

  constructor(readonly schedule: Schedule) {
    const { seed, faults } = schedule;
    const { time, points, history } = this;
    this.seed = seed;
    const messages = new Map<string, Extract<Fault, { kind: 'message' }>['fault']>();
    const commits = new Map<number, Extract<Fault, { kind: 'commit' }>['fault']>();
    for (const fault of faults) {
      if (fault.kind === 'message') messages.set(`${fault.name}/${fault.n}`, fault.fault);
      if (fault.kind === 'commit') commits.set(fault.n, fault.fault);
    }
    const weather = (name: string, n: number) => messages.get(`${name}/${n}`);
    this.network = new Network({ time, points, weather, history, seed });
    this.database = new Database({ time, points, history, fault: (n) => commits.get(n), seed });
    this.objectStore = new SimulatedObjectStore({ time, points, history, seed });
    const { definitions, code } = laboratoryOf(schedule.protocols, schedule.tasks);
    this.definitions = definitions;
    this.code = code;
  }
}
