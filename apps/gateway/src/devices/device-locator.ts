import { orchestratorRequests } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import { Orchestrator } from '../orchestrator.js';

/** Which agent runs a device, in which incarnation. */
export interface DeviceAddress {
  computer: string;
  inc: number;
}

/** Addresses that are kept at most. */
const capacity = 10_000;

/**
 * Asks the orchestrator once where a device is, and remembers it until told that it was wrong. An address can be kept
 * safely: it names one incarnation of one agent, so a call to an old one reaches nobody.
 */
@Injectable()
export class DeviceLocator {
  private readonly known = new Map<string, Promise<DeviceAddress>>();

  constructor(private readonly orchestrator: Orchestrator) {}

  /** @throws ServiceError `unknown_lab`, `unknown_device`, `agent_unreachable`, or an error of the bus */
  locate(lab: string, device: string): Promise<DeviceAddress> {
    const key = keyOf(lab, device);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const asked = this.orchestrator.ask(orchestratorRequests.locateDevice, { lab, device });
    if (this.known.size >= capacity) this.known.clear();
    this.known.set(key, asked);
    asked.catch(() => this.forget(lab, device, asked));
    return asked;
  }

  /** Drops an address that turned out wrong, unless it was replaced meanwhile. */
  forget(lab: string, device: string, address: Promise<DeviceAddress>): void {
    const key = keyOf(lab, device);
    if (this.known.get(key) === address) this.known.delete(key);
  }
}

function keyOf(lab: string, device: string): string {
  return `${lab.length}:${lab}${device}`;
}
