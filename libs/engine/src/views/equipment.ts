import type { AgentRecord, DeviceRecord } from '@lab/contracts';
import type { AgentDirectory } from '../agents/index.js';
import type { LabMap } from '../labs/index.js';
import type { WorkingState } from '../turn/index.js';
import { describeAgents } from './agent-records.js';
import {
  type DeviceLocation,
  type DeviceStart,
  describeDevices,
  describeStarts,
  locateDevice,
} from './device-records.js';

/** Devices and agents as they are known at this moment. */
export class Present {
  constructor(
    private readonly labs: LabMap,
    private readonly directory: AgentDirectory,
    private readonly state: WorkingState,
  ) {}

  /** Every device of the loaded laboratories, by laboratory and name. */
  devices(): DeviceRecord[] {
    return describeDevices(this.labs, this.directory, this.state);
  }

  /** Every computer of the loaded laboratories, and every agent that ever registered, by computer. */
  agents(): AgentRecord[] {
    return describeAgents(this.labs, this.directory, this.state);
  }

  /** @throws ServiceError `unknown_lab`, `unknown_device`, `agent_unreachable` */
  locate(lab: string, device: string): DeviceLocation {
    return locateDevice(this.labs, this.directory, this.state, { lab, device });
  }

  /** The devices of a loaded laboratory, by name, and how their start goes. */
  starts(lab: string): DeviceStart[] {
    return describeStarts(this.labs, this.directory, this.state, lab);
  }
}
