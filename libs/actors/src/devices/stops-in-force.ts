import { haltCovers, type Halt } from '@lab/contracts';

/** Ids of released stops that are remembered, so that a late message does not bring one back. */
const rememberedReleases = 1_000;

/** The stops of people that are in force on this computer. */
export class Halts {
  readonly #inForce = new Map<string, Halt>();
  readonly #released = new Set<string>();

  get inForce(): Halt[] {
    return [...this.#inForce.values()];
  }

  /** @returns false when it is known already, or was released before it was heard of */
  add(halt: Halt): boolean {
    if (this.#inForce.has(halt.id) || this.#released.has(halt.id)) return false;
    this.#inForce.set(halt.id, halt);
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
    const halt = this.inForce.find((each) => haltCovers(each, device));
    return halt === undefined ? undefined : haltText(halt);
  }
}

/** `stopped by <who>: <why>`. */
export function haltText({ by, reason }: Halt): string {
  return `stopped by ${by}: ${reason}`;
}
