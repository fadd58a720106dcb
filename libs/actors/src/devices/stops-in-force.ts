import { emergencyStopCovers, type EmergencyStop } from '@lab/contracts';

/** Ids of released stops that are remembered, so that a late message does not bring one back. */
const rememberedReleases = 1_000;

/** The stops of people that are in force on this computer. */
export class StopsInForce {
  readonly #inForce = new Map<string, EmergencyStop>();
  readonly #released = new Set<string>();

  get inForce(): EmergencyStop[] {
    return [...this.#inForce.values()];
  }

  /** @returns false when it is known already, or was released before it was heard of */
  add(stop: EmergencyStop): boolean {
    if (this.#inForce.has(stop.id) || this.#released.has(stop.id)) return false;
    this.#inForce.set(stop.id, stop);
    return true;
  }

  /** @returns the ids of those that were in force */
  release(ids: readonly string[]): string[] {
    for (const id of ids) {
      this.#released.delete(id);
      this.#released.add(id);
    }
    for (const oldest of this.#released) {
      if (this.#released.size <= rememberedReleases) break;
      this.#released.delete(oldest);
    }
    return ids.filter((id) => this.#inForce.delete(id));
  }

  /** Why a device is stopped, for people; undefined: it is not. */
  reasonFor(device: { lab: string; name: string }): string | undefined {
    const stop = this.inForce.find((each) => emergencyStopCovers(each, device));
    return stop === undefined ? undefined : emergencyStopText(stop);
  }
}

/** `stopped by <who>: <why>`. */
export function emergencyStopText({ by, reason }: EmergencyStop): string {
  return `stopped by ${by}: ${reason}`;
}
