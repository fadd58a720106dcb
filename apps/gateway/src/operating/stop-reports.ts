import type { DeviceStatus } from '@lab/contracts';

type Listener = (computer: string, devices: readonly DeviceStatus[]) => void;

/** The answers of agents to emergency stops, for whoever waits for those to one stop. */
export class StopReports {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** An agent answered the emergency stop with this id. */
  hear(computer: string, { id, devices }: { id: string; devices: readonly DeviceStatus[] }): void {
    for (const listener of this.#listeners.get(id) ?? []) listener(computer, devices);
  }

  /** Calls back for every answer to the emergency stop. The returned function ends this. */
  listen(id: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(id);
    };
  }
}
