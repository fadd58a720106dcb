import { orchestratorRequests, type DeviceFunction } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import { Orchestrator } from '../orchestrator/index.js';

/** Which agent runs a device, in which incarnation. */
export interface DeviceAddress {
  computer: string;
  inc: number;
  /** As its agent last said; absent or empty: not known. */
  functions?: DeviceFunction[] | undefined;
  /** The task run that had it when it was asked for; absent: none. */
  held_by?: string | undefined;
}

/** What functions a device has may change with its code, so an address is asked for again after so many milliseconds. */
const freshMs = 10_000;

/** Addresses that are kept at most. */
const capacity = 10_000;

/**
 * Asks the orchestrator once where a device is, and remembers it for a while, or until told that it was wrong. An address can be kept
 * safely: it names one incarnation of one agent, so a call to an old one reaches nobody.
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
