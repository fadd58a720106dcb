import {
  deviceTransitions,
  isUsable,
  mayFollow,
  ServiceError,
  type DeviceAssignment,
  type DeviceState,
  type DeviceStatus,
} from '@lab/contracts';
import type { DeclaredFunctions } from './declared-functions.js';
import type { Doubt } from './device-doubt.js';

/** How a device stands: its state by the table of states, what is known beside it, and what that means for callers. */
export class DeviceStatusTracker {
  /** The device may be in the middle of something. */
  doubt: Doubt | undefined;
  /** Its process is being stopped for good. */
  leaving = false;
  readonly #device: DeviceAssignment;
  readonly #functions: DeclaredFunctions;
  readonly #changed: (status: DeviceStatus) => void;
  #state: DeviceState = 'disabled';
  #detail: string | null = null;
  #stopText: string | undefined;
  #responds = true;

  /** @param stopText why people keep it stopped, if they do */
  constructor(
    device: DeviceAssignment,
    functions: DeclaredFunctions,
    changed: (status: DeviceStatus) => void,
    stopText: string | undefined,
  ) {
    this.#device = device;
    this.#functions = functions;
    this.#changed = changed;
    this.#stopText = stopText;
  }

  get state(): DeviceState {
    return this.#state;
  }

  /** Why people keep it stopped; undefined: they do not. */
  get stopText(): string | undefined {
    return this.#stopText;
  }

  set stopText(text: string | undefined) {
    if (text === this.#stopText) return;
    this.#stopText = text;
    this.#tell();
  }

  /** Does the event loop of its process turn? */
  set responds(does: boolean) {
    if (does === this.#responds) return;
    this.#responds = does;
    this.#tell();
  }

  get status(): DeviceStatus {
    const { lab, name } = this.#device;
    const detail = [this.#detail, this.#responds ? null : silence].filter((text) => text !== null).join('; ');
    return {
      lab,
      name,
      state: this.#state,
      detail: detail === '' ? null : detail,
      functions: this.#functions.all,
      ...(this.#stopText === undefined ? {} : { halted: this.#stopText }),
      ...(this.doubt === undefined ? {} : { doubt: this.doubt.known }),
    };
  }

  /** @throws Error when the table of states does not have it */
  to(state: DeviceState, detail: string | null): void {
    if (state !== this.#state && !mayFollow(deviceTransitions, this.#state, state)) {
      throw new Error(`device ${this.#label}: ${this.#state} cannot become ${state}`);
    }
    this.#state = state;
    this.#detail = detail;
    this.#tell();
  }

  /** @throws ServiceError `device_unavailable` when it takes no calls at all */
  requireOpen(): void {
    if (this.leaving) throw this.#unavailable('is being stopped');
    if (isUsable(this.#state)) return;
    throw this.#unavailable(`is ${this.#state}${this.#detail === null ? '' : ` (${this.#detail})`}`);
  }

  /** @throws ServiceError `device_unavailable` when people keep it stopped, so that it takes nothing but queries */
  requireReleased(): void {
    if (this.#stopText !== undefined) throw this.#unavailable(`is ${this.#stopText}`);
  }

  get #label(): string {
    return `${this.#device.lab}.${this.#device.name}`;
  }

  #unavailable(why: string): ServiceError {
    return new ServiceError('device_unavailable', `device ${this.#label} ${why}`);
  }

  #tell(): void {
    this.#changed(this.status);
  }
}

const silence = 'its process does not respond';
