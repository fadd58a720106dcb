import {
  deviceTransitions,
  isUsable,
  mayFollow,
  ServiceError,
  type CodeRuntime,
  type DeviceAssignment,
  type DeviceState,
  type DeviceStatus,
} from '@lab/contracts';
import type { DeclaredFunctions } from './declared-functions.js';
import type { Doubt } from './device-doubt.js';

/** Keeps the state of a device by the table of states, with its doubt and its emergency stop, and reports each change. */
export class DeviceStatusTracker {
  /** The device may be in the middle of an effect. */
  doubt: Doubt | undefined;
  /** The process is being stopped for good. */
  leaving = false;
  #state: DeviceState = 'disabled';
  #detail: string | null = null;
  #stopText: string | undefined;
  #silentSince: number | undefined;
  #runtime: CodeRuntime | undefined;
  #debugger: string | undefined;
  #asks: DeviceStatus['asks'];
  #runningStops = 0;

  /**
   * @param doing the call in progress that may move the device
   * @param stopText who stopped the device and why, if an emergency stop is in force
   */
  constructor(
    private readonly device: DeviceAssignment,
    private readonly functions: DeclaredFunctions,
    private readonly doing: () => DeviceStatus['doing'],
    private readonly changed: (status: DeviceStatus) => void,
    stopText: string | undefined,
  ) {
    this.#stopText = stopText;
  }

  get state(): DeviceState {
    return this.#state;
  }

  /** Who stopped the device and why; undefined: no emergency stop is in force. */
  get stopText(): string | undefined {
    return this.#stopText;
  }

  set stopText(text: string | undefined) {
    if (text === this.#stopText) return;
    this.#stopText = text;
    this.#report();
  }

  /** Since when the event loop of the process stands, in milliseconds since 1970; undefined: it turns. */
  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  set silentSince(at: number | undefined) {
    if (at === this.#silentSince) return;
    this.#silentSince = at;
    this.#report();
  }

  /** What executes the code of the device, as its process has said; undefined: it has not. Shown with the next change of state. */
  get runtime(): CodeRuntime | undefined {
    return this.#runtime;
  }

  set runtime(runtime: CodeRuntime | undefined) {
    this.#runtime = runtime;
  }

  /** Address at which a debugger may attach to the process; undefined: none may. */
  get debugger(): string | undefined {
    return this.#debugger;
  }

  set debugger(address: string | undefined) {
    if (address === this.#debugger) return;
    this.#debugger = address;
    this.#report();
  }

  /** What the driver asks people, and since when, in milliseconds since 1970; undefined: nothing. */
  set asks(asks: DeviceStatus['asks']) {
    if (asks?.text === this.#asks?.text) return;
    this.#asks = asks;
    this.#report();
  }

  /** Shows that `_stop` of an emergency stop runs, until `stop` has ended. */
  async whileStopping(stop: Promise<void>): Promise<void> {
    this.#runningStops += 1;
    this.#report();
    await stop;
    this.#runningStops -= 1;
    this.#report();
  }

  get current(): DeviceStatus {
    const { lab, name } = this.device;
    const doing = this.doing();
    const detail = [
      this.#detail,
      this.#silentSince === undefined ? null : notResponding,
      this.#debugger === undefined ? null : underDebugger(this.#debugger),
      this.#asks?.text ?? null,
    ]
      .filter((text) => text !== null)
      .join('; ');
    return {
      lab,
      name,
      state: this.#state,
      detail: detail === '' ? null : detail,
      functions: this.functions.all,
      ...(this.#stopText === undefined ? {} : { halted: this.#stopText }),
      ...(this.#runningStops > 0 ? { stopping: true } : {}),
      ...(this.doubt === undefined ? {} : { doubt: this.doubt.known }),
      ...(doing === undefined ? {} : { doing }),
      ...(this.#silentSince === undefined ? {} : { silent_since_ms: this.#silentSince }),
      ...(this.#runtime === undefined ? {} : { runtime: this.#runtime }),
      ...(this.#debugger === undefined ? {} : { debugger: this.#debugger }),
      ...(this.#asks === undefined ? {} : { asks: this.#asks }),
    };
  }

  /** @throws Error when the table of states has no such transition */
  to(state: DeviceState, detail: string | null): void {
    if (state !== this.#state && !mayFollow(deviceTransitions, this.#state, state)) {
      throw new Error(`device ${this.#label}: ${this.#state} cannot become ${state}`);
    }
    this.#state = state;
    this.#detail = detail;
    this.#report();
  }

  /** @throws ServiceError `device_unavailable` when the device takes no calls */
  requireOpen(): void {
    if (this.leaving) throw this.#unavailable('is being stopped');
    if (isUsable(this.#state)) return;
    throw this.#unavailable(`is ${this.#state}${this.#detail === null ? '' : ` (${this.#detail})`}`);
  }

  /** @throws ServiceError `device_unavailable` when an emergency stop is in force, so that only queries are taken */
  requireReleased(): void {
    if (this.#stopText !== undefined) throw this.#unavailable(`is ${this.#stopText}`);
  }

  get #label(): string {
    return `${this.device.lab}.${this.device.name}`;
  }

  #unavailable(why: string): ServiceError {
    return new ServiceError('device_unavailable', `device ${this.#label} ${why}`);
  }

  #report(): void {
    this.changed(this.current);
  }
}

const notResponding = 'its process does not respond';
const underDebugger = (address: string): string =>
  `a debugger may attach at ${address}, so it has no time limits, and nobody knows whether it stands at a breakpoint`;
