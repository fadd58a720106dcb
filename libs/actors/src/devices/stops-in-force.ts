import { emergencyStopCovers, type EmergencyStop } from '@lab/contracts';
import { remember } from '../ports/index.js';

/** Ids of released emergency stops that are remembered, so that a late message does not bring one back. */
const rememberedReleases = 1_000;

/** The emergency stops in force on this computer. */
export class StopsInForce {
  readonly #inForce = new Map<string, EmergencyStop>();
  readonly #released = new Set<string>();

  get inForce(): EmergencyStop[] {
    return [...this.#inForce.values()];
  }

  /** @returns false when the stop is known already, or was released before it arrived */
  add(stop: EmergencyStop): boolean {
    if (this.#inForce.has(stop.id) || this.#released.has(stop.id)) return false;
    this.#inForce.set(stop.id, stop);
    return true;
  }

  /** @returns the ids of the stops that were in force */
  release(ids: readonly string[]): string[] {
    for (const id of ids) remember(this.#released, id, rememberedReleases);
    return ids.filter((id) => this.#inForce.delete(id));
  }

  /** Who stopped a device and why; undefined: no stop covers it. */
  reasonFor(device: { lab: string; name: string }): string | undefined {
    const stop = this.inForce.find((each) => emergencyStopCovers(each, device));
    return stop === undefined ? undefined : emergencyStopText(stop);
  }
}

/** Describes a stop for people: `stopped by <who>: <why>`. */
export function emergencyStopText({ by, reason }: EmergencyStop): string {
  return `stopped by ${by}: ${reason}`;
}
