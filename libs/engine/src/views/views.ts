import type {
  AgentRecord,
  DeviceRecord,
  DrainRecord,
  ModuleReference,
  QueueQuery,
  ReservationRecord,
  ScheduleQuery,
  ScheduleRecord,
  UsageQuery,
} from '@lab/contracts';
import type { AttemptRow, TaskRunRow } from '../rows/index.js';
import { describeAgents } from './agent-records.js';
import { type Counts, countAll } from './counts.js';
import {
  type DeviceLocation,
  type DeviceStart,
  describeDevices,
  describeStarts,
  locateDevice,
} from './device-records.js';
import { describeDrain } from './drain.js';
import { describeReservations } from '../stops/index.js';
import type { OverviewPorts } from './overview.js';
import { type QueuePart, describeQueue } from './queue.js';
import { describeEstimates, describeSchedule } from './schedule.js';
import { type UsagePart, describeUsage } from './usage.js';
import { type UnfinishedWork, attemptOf, codeInUse, unfinishedWork } from './unfinished-work.js';

/** The state of the engine at this moment, as people and other parts of the service read it. Changes nothing. */
export class Views {
  /** @param ports reads the state for one view */
  constructor(private readonly ports: () => OverviewPorts) {}

  /** The requested page of the queued tasks in their order, and whether any task may start. */
  queue(query: QueueQuery): QueuePart {
    return describeQueue(this.ports(), query);
  }

  /** The requested page of what owners and laboratories store, with their quotas. */
  usage(query: UsageQuery): UsagePart {
    const { state, quotas } = this.ports();
    return describeUsage(state.rows, quotas, query);
  }

  /** Whether new work of a campaign, or of all campaigns if it is null, may begin, and what is unfinished of it. */
  drain(campaign: string | null): DrainRecord {
    return describeDrain(this.ports(), campaign);
  }

  /** The requested page of the schedule: running tasks, planned tasks, and why each queued task waits. */
  schedule(query: ScheduleQuery): ScheduleRecord {
    return describeSchedule(this.ports(), query);
  }

  /** Expected completion of unfinished runs and campaigns by name, ISO 8601 in UTC. Unknown ones are left out. */
  estimates(): { protocol_runs: Record<string, string>; campaigns: Record<string, string> } {
    return describeEstimates(this.ports());
  }

  /** Numbers of tasks, agents and devices by state, for metrics. */
  counts(): Counts {
    return countAll(this.ports());
  }

  /**
   * Every device of the loaded laboratories, by laboratory and name.
   *
   * @param brief true: without their functions
   */
  devices(brief = false): DeviceRecord[] {
    const { labs, directory, state } = this.ports();
    const devices = describeDevices(labs, directory, state);
    return brief ? devices.map((device) => ({ ...device, functions: [] })) : devices;
  }

  /** The reservations of devices and resources that have not ended, by their beginning. */
  reservations(): ReservationRecord[] {
    return describeReservations(this.ports().state);
  }

  /** Every computer of the loaded laboratories and every agent that ever registered, by computer. */
  agents(): AgentRecord[] {
    return describeAgents(this.ports());
  }

  /** Where a device runs. @throws ServiceError `unknown_lab`, `unknown_device`, `agent_unreachable` */
  locate(lab: string, device: string): DeviceLocation {
    const { labs, directory, state } = this.ports();
    return locateDevice(labs, directory, state, { lab, device });
  }

  /** The devices of a loaded laboratory by name, each with the progress of its start. */
  starts(lab: string): DeviceStart[] {
    const { labs, directory, state } = this.ports();
    return describeStarts(labs, directory, state, lab);
  }

  /** An attempt that has not ended, with the input files of its task; undefined: there is none. */
  attempt(id: string): (AttemptRow & Pick<TaskRunRow, 'inputFiles'>) | undefined {
    return attemptOf(this.ports().state, id);
  }

  /** The code of accepted work and of loaded devices, also of earlier versions of packages. With repetitions. */
  codeInUse(): ModuleReference[] {
    const { state, labs } = this.ports();
    return codeInUse(state, labs);
  }

  /** Unfinished work, with the laboratories that it needs and the devices that it has. */
  unfinishedWork(): UnfinishedWork[] {
    const { state, labs } = this.ports();
    return unfinishedWork(state, labs);
  }
}
