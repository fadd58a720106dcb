import {
  emergencyStopCovers,
  isStarting,
  isUsable,
  ServiceError,
  type DeviceAssignment,
  type DeviceFunction,
  type DeviceStatus,
  type EmergencyStop,
  type JsonValue,
} from '@lab/contracts';
import { jsonEqual } from '@lab/ports';
import { remember, type AgentLimits } from '../ports/index.js';
import { DeviceActor, type DeviceActorPorts, type DeviceCall } from './device-actor.js';
import type { CallsOf } from './device-calls.js';
import { StopsInForce, emergencyStopText } from './stops-in-force.js';

export interface DeviceName {
  lab: string;
  name: string;
}

interface Slot {
  actor: DeviceActor | undefined;
  wanted: DeviceAssignment | undefined;
  changing: boolean;
  /** Its first start is over: the device was usable once, or is faulted. */
  startedOnce: boolean;
  noticedAt: number;
  noticed: DeviceStatus | undefined;
  cancelNotice: (() => void) | undefined;
}

/**
 * All devices of this computer, and the highest fence seen of each.
 *
 * Guarantees: the old process of a changed device has ended before the new one starts. A call with a fence lower than one seen
 * before is refused. A device in the scope of an emergency stop takes no effects and starts no process, also if it is assigned
 * later. Every change of state is announced at once; only changes between busy and idle are announced at most once per
 * `deviceNoticeMs`, and the last one always.
 */
export class Devices {
  readonly #slots = new Map<string, Slot>();
  readonly #fences = new Map<string, number>();
  readonly #stops = new StopsInForce();
  /** By computer, its attempts that are over, the newest last. */
  readonly #barred = new Map<string, Set<string>>();
  #waiters: (() => void)[] = [];
  #closed = false;

  constructor(
    private readonly ports: DeviceActorPorts,
    private readonly limits: AgentLimits,
    private readonly announce: (status: DeviceStatus) => void,
  ) {}

  /** Takes the full list of devices to run: starts missing devices, stops all others, restarts changed ones. */
  assign(devices: readonly DeviceAssignment[]): void {
    if (this.#closed) return;
    const wanted = new Map(devices.map((device) => [keyOf(device), device]));
    for (const [key, slot] of this.#slots) {
      if (wanted.has(key)) continue;
      slot.wanted = undefined;
      this.#settle(key, slot);
    }
    for (const [key, device] of wanted) {
      const slot = this.#slots.get(key) ?? emptySlot();
      this.#slots.set(key, slot);
      slot.wanted = device;
      this.#settle(key, slot);
    }
    this.#resolveStarted();
  }

  statuses(): DeviceStatus[] {
    return [...this.#slots.values()].flatMap((slot) => (slot.actor === undefined ? [] : [slot.actor.status]));
  }

  /** @throws ServiceError `unknown_device` */
  actor(device: DeviceName): DeviceActor {
    const actor = this.#slots.get(keyOf(device))?.actor;
    if (actor === undefined) {
      throw new ServiceError('unknown_device', `this computer runs no device ${keyOf(device)}`);
    }
    return actor;
  }

  functions(device: DeviceName): DeviceFunction[] | null {
    return this.#slots.get(keyOf(device))?.actor?.functions ?? null;
  }

  /**
   * Calls a function of a device.
   *
   * @param fence fence of the caller's allocation; undefined: a person calls
   * @throws ServiceError `unknown_device`, `stale_message`, `aborted` when the attempt is over, and the errors of
   *   {@link DeviceActor.call}
   */
  async call(
    device: DeviceName,
    call: DeviceCall,
    fence: number | undefined,
  ): Promise<JsonValue | undefined> {
    const actor = this.actor(device);
    const posted = { ...call, fence };
    this.#demandAllocated(device, posted);
    const prepared = actor.prepareFor(posted);
    if (prepared === undefined) return actor.call(posted);
    const since = this.ports.clock.now();
    await prepared;
    this.#demandAllocated(device, posted);
    return actor.call({ ...posted, ...this.#patienceLeft(posted, since) });
  }

  /** @throws ServiceError `aborted` when the attempt is over, `stale_message` when another one has got the device */
  #demandAllocated(device: DeviceName, { attemptId, caller = '', fence }: DeviceCall): void {
    if (attemptId !== undefined && this.#barred.get(caller)?.has(attemptId) === true)
      throw new ServiceError(
        'aborted',
        `attempt ${attemptId} is over; ${keyOf(device)} is not called for it`,
      );
    if (fence !== undefined) this.admit(device, fence);
  }

  /**
   * A caller that has given up must not see its call begin later.
   *
   * @throws ServiceError `deadline_exceeded`
   */
  #patienceLeft({ patienceMs, function: name }: DeviceCall, since: number): Pick<DeviceCall, 'patienceMs'> {
    if (patienceMs === undefined) return {};
    const left = patienceMs - (this.ports.clock.now() - since);
    if (left <= 0)
      throw new ServiceError(
        'deadline_exceeded',
        `${name} did not begin within ${patienceMs / 1000} s, because its device was being prepared for the task`,
      );
    return { patienceMs: left };
  }

  /** Tells the devices of an attempt that it is over. */
  releaseFrom(of: CallsOf): void {
    for (const { actor } of this.#slots.values()) actor?.releaseFrom(of);
  }

  /**
   * Checks that no task has got the device since this fence.
   *
   * @throws ServiceError `device_in_use`
   */
  demandUntaken(device: DeviceName, fence: number): void {
    const key = keyOf(device);
    const highest = this.#fences.get(key) ?? 0;
    if (fence >= highest) return;
    throw new ServiceError(
      'device_in_use',
      `device ${key} was allocated anew: fence ${fence} is older than ${highest}`,
    );
  }

  /** Restores the fences that earlier agent processes have seen, by `<lab>.<device>`. */
  recallFences(fences: ReadonlyMap<string, number>): void {
    for (const [key, fence] of fences) this.#fences.set(key, Math.max(fence, this.#fences.get(key) ?? 0));
  }

  /**
   * Notes a fence.
   *
   * @throws ServiceError `stale_message` when a later owner of the device has been seen
   */
  admit(device: DeviceName, fence: number): void {
    const key = keyOf(device);
    const highest = this.#fences.get(key) ?? 0;
    if (fence < highest) {
      throw new ServiceError(
        'stale_message',
        `device ${key} was allocated anew: fence ${fence} is older than ${highest}`,
      );
    }
    this.#fences.set(key, fence);
  }

  /** The stops of people that are in force on this computer. */
  get emergencyStops(): EmergencyStop[] {
    return this.#stops.inForce;
  }

  /**
   * Stops every device of the scope at once, and keeps it stopped until {@link release}.
   *
   * @returns false when the stop is known already, or was released before
   */
  emergencyStop(stop: EmergencyStop): boolean {
    if (!this.#stops.add(stop)) return false;
    for (const { actor } of this.#slots.values()) {
      if (actor !== undefined && emergencyStopCovers(stop, actor.assignment))
        actor.emergencyStop(emergencyStopText(stop));
    }
    return true;
  }

  /**
   * Releases these emergency stops. Devices that no other stop covers continue.
   *
   * @returns the ids of the stops that were in force
   */
  release(ids: readonly string[]): string[] {
    const released = this.#stops.release(ids);
    for (const { actor } of this.#slots.values()) {
      if (actor === undefined) continue;
      const reason = this.#stops.reasonFor(actor.assignment);
      if (reason === undefined) actor.release();
      else actor.replaceStopText(reason);
    }
    return released;
  }

  /**
   * Ends the process of a device with `_cleanup` and starts the device anew, as at its first start. A device in doubt stays
   * in doubt.
   *
   * @param why for people
   * @returns its status, in which it takes no calls
   * @throws ServiceError `unknown_device`; `wrong_state` as {@link DeviceActor.beginRestart}
   */
  restart(device: DeviceName, why: string): DeviceStatus {
    const key = keyOf(device);
    const actor = this.actor(device);
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.changing || this.#closed)
      throw new ServiceError('wrong_state', `device ${key} is being stopped already`);
    actor.beginRestart(why);
    this.#replace(key, slot, actor, true);
    return actor.status;
  }

  /** Refuses the calls of an attempt that have not begun, and safely stops those in progress. */
  stopCallsOf(of: CallsOf, reason: string): void {
    for (const { actor } of this.#slots.values()) void actor?.stopCallOf(of, reason);
  }

  /**
   * Like {@link stopCallsOf}, and refuses every later call of the attempt.
   *
   * @returns whether a call of the attempt that may change something still goes on
   */
  barCallsOf(of: Required<CallsOf>, reason: string): boolean {
    const { attemptId, caller = '' } = of;
    const barred = this.#barred.get(caller) ?? new Set<string>();
    this.#barred.set(caller, barred);
    remember(barred, attemptId, this.limits.remembered);
    this.stopCallsOf(of, reason);
    this.releaseFrom(of);
    return [...this.#slots.values()].some(({ actor }) => actor?.movesFor(of));
  }

  /** Resolves when the first start of every device is over: the device was usable once, or is faulted. */
  started(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.#resolveStarted();
    });
  }

  /** Aborts the effects in progress on all devices. */
  abortAll(reason: string): void {
    for (const slot of this.#slots.values()) slot.actor?.abort(reason);
  }

  /** The agent is about to end: no process starts any more. Calls in progress and later calls go on. */
  retire(why: string): void {
    for (const slot of this.#slots.values()) slot.actor?.retire(why);
    this.#closed = true;
  }

  /** Stops all devices at the same time, with `_cleanup`. Resolves when every process has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#slots.values()].map(async (slot) => {
        slot.wanted = undefined;
        await slot.actor?.stop(true);
        slot.cancelNotice?.();
      }),
    );
  }

  #resolveStarted(): void {
    for (const slot of this.#slots.values()) if (!slot.startedOnce && slot.wanted !== undefined) return;
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  #settle(key: string, slot: Slot): void {
    if (slot.changing) return;
    if (slot.actor !== undefined && !jsonEqual(slot.actor.assignment, slot.wanted)) {
      this.#replace(key, slot, slot.actor, false);
      return;
    }
    if (slot.actor !== undefined) return;
    if (slot.wanted === undefined || this.#closed) {
      this.#slots.delete(key);
      return;
    }
    const log = this.ports.log.child({ lab: slot.wanted.lab, device: key });
    slot.actor = new DeviceActor(
      slot.wanted,
      { ...this.ports, log },
      this.limits,
      (status) => this.#notice(slot, status),
      this.#stops.reasonFor(slot.wanted),
    );
    slot.actor.start(slot.startedOnce ? 'its process was stopped' : undefined);
  }

  /** Stops a device and starts what is wanted in its place. @param hurried as in {@link DeviceActor.stop} */
  #replace(key: string, slot: Slot, actor: DeviceActor, hurried: boolean): void {
    slot.changing = true;
    void actor.stop(hurried).then(() => {
      slot.actor = undefined;
      slot.changing = false;
      this.#settle(key, slot);
    });
  }

  #notice(slot: Slot, status: DeviceStatus): void {
    if (!isComing(status) && !slot.startedOnce) {
      slot.startedOnce = true;
      this.#resolveStarted();
    }
    slot.cancelNotice?.();
    slot.cancelNotice = undefined;
    const now = this.ports.clock.now();
    const wait = slot.noticedAt + this.limits.deviceNoticeMs - now;
    if (wait > 0 && isRoutine(status) && slot.noticed !== undefined && isRoutine(slot.noticed)) {
      slot.cancelNotice = this.ports.timers.after(wait, () => this.#announceNow(slot, status));
      return;
    }
    this.#announceNow(slot, status);
  }

  #announceNow(slot: Slot, status: DeviceStatus): void {
    slot.noticedAt = this.ports.clock.now();
    slot.noticed = status;
    slot.cancelNotice = undefined;
    this.announce(status);
  }
}

function emptySlot(): Slot {
  return {
    actor: undefined,
    wanted: undefined,
    changing: false,
    startedOnce: false,
    noticedAt: Number.NEGATIVE_INFINITY,
    noticed: undefined,
    cancelNotice: undefined,
  };
}

function isComing({ state, halted }: DeviceStatus): boolean {
  return halted === undefined && isStarting(state);
}

function isRoutine(status: DeviceStatus): boolean {
  return isUsable(status.state);
}

export function keyOf(device: DeviceName): string {
  return `${device.lab}.${device.name}`;
}
