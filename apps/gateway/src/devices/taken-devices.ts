/** When each device was last given to a task, as the leader tells it. Nothing but speed depends on hearing it. */
export class TakenDevices {
  readonly #heardAt = new Map<string, number>();
  #deafAt = -Infinity;

  /** Tasks got these devices (`<lab>.<device>`). */
  hear(devices: readonly string[]): void {
    const now = performance.now();
    for (const device of devices) this.#heardAt.set(device, now);
  }

  /** The connection to the broker was lost or is back: what the leader told meanwhile was not heard. */
  miss(): void {
    this.#deafAt = performance.now();
  }

  /** Whether a task may have got the device since that moment of `performance.now()`. */
  since(lab: string, device: string, moment: number): boolean {
    return Math.max(this.#deafAt, this.#heardAt.get(`${lab}.${device}`) ?? -Infinity) >= moment;
  }
}
