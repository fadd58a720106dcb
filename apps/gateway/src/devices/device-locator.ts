import { orchestratorRequests, type DeviceFunction } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import { Orchestrator } from '../orchestrator/index.js';

/** The agent that runs a device, and its incarnation. */
export interface DeviceAddress {
  computer: string;
  inc: number;
  /** Functions that the agent last reported; absent or empty: unknown. */
  functions?: DeviceFunction[] | undefined;
  /** The task run that held the device at the time of the look-up; absent: none. */
  held_by?: string | undefined;
}

/** Time after which an address is looked up again, in milliseconds: the functions of a device change with its code. */
const freshMs = 10_000;

/** Maximum number of cached addresses. */
const capacity = 10_000;

/**
 * Asks the orchestrator once for the address of a device, and caches it for a while, or until a caller reports it as wrong. The
 * cache is safe: an address names one incarnation of one agent, so a call to an old address reaches nobody.
 */
@Injectable()
export class DeviceLocator {
  private readonly known = new Map<string, { address: Promise<DeviceAddress>; askedAt: number }>();

  constructor(private readonly orchestrator: Orchestrator) {}

  /** @throws ServiceError `unknown_lab`, `unknown_device`, `agent_unreachable`, or an error of the bus */
  locate(lab: string, device: string): Promise<DeviceAddress> {
    const key = keyOf(lab, device);
    const known = this.known.get(key);
    const now = performance.now();
    if (known !== undefined && now - known.askedAt < freshMs) return known.address;
    const asked = this.orchestrator.ask(orchestratorRequests.locateDevice, { lab, device });
    if (this.known.size >= capacity) this.known.clear();
    this.known.set(key, { address: asked, askedAt: now });
    asked.catch(() => this.forget(lab, device, asked));
    return asked;
  }

  /** Drops an address that turned out wrong, unless it was replaced meanwhile. */
  forget(lab: string, device: string, address: Promise<DeviceAddress>): void {
    const key = keyOf(lab, device);
    if (this.known.get(key)?.address === address) this.known.delete(key);
  }
}

function keyOf(lab: string, device: string): string {
  return `${lab.length}:${lab}${device}`;
}
