import type { DeviceAssignment, FromDevice, ToDevice } from '@lab/contracts';
import type { AgentLimits } from './limits.js';
import type { DeviceProcess, ProcessExit, Timers } from './ports.js';

export interface LifeListener {
  hear(message: FromDevice): void;
  /** Told exactly once, after the last message. */
  exited(exit: ProcessExit): void;
}

/** One life of a device's process, from its start to its exit, with the ladders by which it is ended. */
export class DeviceLife {
  readonly #process: DeviceProcess;
  readonly #timers: Timers;
  readonly #limits: AgentLimits;
  #terminated = false;
  #cancelTimer: () => void = () => undefined;

  constructor(process: DeviceProcess, timers: Timers, limits: AgentLimits, listener: LifeListener) {
    this.#process = process;
    this.#timers = timers;
    this.#limits = limits;
    process.onMessage((message) => listener.hear(message));
    process.onExit((exit) => {
      this.#cancelTimer();
      listener.exited(exit);
    });
  }

  /** It was told to end by {@link terminate}. */
  get terminated(): boolean {
    return this.#terminated;
  }

  /** Sends `init`. `late` is told when `_initialize` outlives its time; {@link settled} ends that. */
  initialize(device: DeviceAssignment, path: string, late: () => void): void {
    this.#limit(this.#limits.deviceInitMs, late);
    const { lab, name, module, init_parameters } = device;
    this.send({ type: 'init', lab, name, module, path, init_parameters });
  }

  send(message: ToDevice): void {
    this.#process.send(message);
  }

  /** What was waited for has come. */
  settled(): void {
    this.#cancelTimer();
  }

  /** SIGTERM, upon which the host leaves the instrument safe, then SIGKILL. */
  terminate(): void {
    if (this.#terminated) return;
    this.#terminated = true;
    this.#process.kill('SIGTERM');
    this.#limit(this.#limits.deviceAbortMs, () => this.#process.kill('SIGKILL'));
  }

  /** SIGKILL at once: the process says nothing more, and cleans nothing up. */
  kill(): void {
    this.#cancelTimer();
    this.#process.kill('SIGKILL');
  }

  /**
   * From now on the process has its time for `_cleanup`; then SIGTERM, then SIGKILL.
   *
   * @param late told when that time is over
   */
  limitCleanUp(late: () => void): void {
    if (this.#terminated) return;
    this.#limit(this.#limits.deviceCleanupMs, () => {
      late();
      this.#process.kill('SIGTERM');
      this.#limit(this.#limits.deviceKillMs, () => this.#process.kill('SIGKILL'));
    });
  }

  /** One limit at a time: each step of a ladder takes the place of the one before. */
  #limit(ms: number, over: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#timers.after(ms, over);
  }
}
