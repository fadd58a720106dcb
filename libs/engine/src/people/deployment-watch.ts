/** A version of a package that did not become active. */
export interface FailedDeployment {
  package: string;
  /** Hash, or `folder`. */
  sha256: string;
  commit: string | null;
  author: string | null;
  /** Who asked for it. */
  by: string;
  reason: string;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * Deployments that failed, of which the caller may not know: a pipeline may have ended long before. They are in memory only. The
 * open items outlive this leader, and close when it hears of something that settles them.
 */
export class DeploymentWatch {
  readonly #failed = new Map<string, FailedDeployment>();
  readonly #settled = new Set<string>();

  fail(failure: FailedDeployment): void {
    this.#failed.set(failure.package, failure);
    this.#settled.delete(failure.package);
  }

  /** A version of the package is active, or a person knows of the failure. */
  settle(name: string): void {
    this.#failed.delete(name);
    this.#settled.add(name);
  }

  /** The latest failure of each package that nothing has settled. */
  open(): Iterable<FailedDeployment> {
    return this.#failed.values();
  }

  /** Whether something has settled the failure of a package since this leader began. */
  isSettled(name: string): boolean {
    return this.#settled.has(name);
  }
}
