import { callFreshMs, orchestratorRequests, type DeviceFunction } from '@lab/contracts';
import { LeaderWatch } from '@lab/messaging';
import { Injectable } from '@nestjs/common';
import { Orchestrator } from '../orchestrator/index.js';
import { TakenDevices } from './taken-devices.js';

/** The agent that runs a device, and its incarnation. */
export interface DeviceAddress {
  computer: string;
  inc: number;
  /** Functions that the agent last reported; absent or empty: unknown. */
  functions?: DeviceFunction[] | undefined;
  /** The task run that held the device at the time of the look-up; absent: none. */
  held_by?: string | undefined;
  /** Fence of the device at the time of the look-up. */
  fence: number;
}

/** Time after which an address is looked up again, in milliseconds: the functions of a device change with its code. */
const freshMs = 10_000;

/** Time for which a device that no task had counts as free, in milliseconds, unless a task is known to have got it. */
const untakenMs = callFreshMs / 2;

/** Maximum number of cached addresses. */
const capacity = 10_000;

interface Known {
  address: Promise<DeviceAddress>;
  askedAt: number;
  /** Epoch of the leader when it was asked. */
  epoch: number;
  /** A look-up that will replace this one is under way. */
  renewing: boolean;
}

/**
 * Asks the orchestrator for the address of a device, and caches it for a while, or until a caller reports it as wrong. The
 * cache is safe: an address names one incarnation of one agent, so a call to an old address reaches nobody.
 */
@Injectable()
export class DeviceLocator {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly leaders: LeaderWatch,
    private readonly taken: TakenDevices,
  ) {}

  /**
   * The known address, or that of a new look-up.
   *
   * @throws ServiceError `unknown_lab`, `unknown_device`, `agent_unreachable`, or an error of the bus
   */
  locate(lab: string, device: string): Promise<DeviceAddress> {
    return this.recent(lab, device, freshMs)?.address ?? this.ask(lab, device);
  }

  /** The known address if it also tells of the present whether a task has the device; undefined: it does not. */
  present(lab: string, device: string): Promise<DeviceAddress> | undefined {
    const known = this.recent(lab, device, untakenMs);
    return known === undefined || this.taken.since(lab, device, known.askedAt) ? undefined : known.address;
  }

  /** What is known. After half of the time it is renewed beside the calls that still use it. */
  private recent(lab: string, device: string, withinMs: number): Known | undefined {
    const key = keyOf(lab, device);
    const known = this.known.get(key);
    if (known?.epoch !== this.leaders.epoch) return undefined;
    const age = performance.now() - known.askedAt;
    if (age >= withinMs) return undefined;
    if (age >= withinMs / 2 && !known.renewing) this.renew(key, lab, device, known);
    return known;
  }

  /** Drops an address that turned out wrong, unless it was replaced meanwhile. */
  forget(lab: string, device: string, address: Promise<DeviceAddress>): void {
    const key = keyOf(lab, device);
    if (this.known.get(key)?.address === address) this.known.delete(key);
  }

  private ask(lab: string, device: string): Promise<DeviceAddress> {
    const key = keyOf(lab, device);
    const entry = this.lookUp(lab, device);
    if (this.known.size >= capacity) this.known.clear();
    this.known.set(key, entry);
    entry.address.catch(() => this.forget(lab, device, entry.address));
    return entry.address;
  }

  private renew(key: string, lab: string, device: string, known: Known): void {
    known.renewing = true;
    const next = this.lookUp(lab, device);
    next.address.then(
      () => {
        if (this.known.get(key) === known) this.known.set(key, next);
      },
      () => {
        // The known address stays until it is too old. Then the next call gets the error.
        known.renewing = false;
      },
    );
  }

  private lookUp(lab: string, device: string): Known {
    return {
      address: this.orchestrator.ask(orchestratorRequests.locateDevice, { lab, device }),
      askedAt: performance.now(),
      epoch: this.leaders.epoch,
      renewing: false,
    };
  }
}

function keyOf(lab: string, device: string): string {
  return `${lab.length}:${lab}${device}`;
}
