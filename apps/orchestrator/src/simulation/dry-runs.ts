import {
  isServiceError,
  type DryRunRecord,
  type LabRights,
  type SchedulerType,
  type Submission,
  type SubmissionEstimate,
} from '@lab/contracts';
import type { Engine } from '@lab/engine';
import type { Simulations } from './simulations.js';

/** Dry runs: submissions that pass the checks of real ones and are simulated, but not accepted. */
export class DryRuns {
  constructor(
    private readonly parts: {
      engine: { submissions: Pick<Engine['submissions'], 'tryOut'> };
      simulations: Pick<Simulations, 'estimate'>;
      scheduler: SchedulerType;
      clock: { now(): number };
    },
  ) {}

  /**
   * Changes nothing. The answer names no work of laboratories that the caller may not see. A submission may be acceptable even if it cannot be simulated. Throws as the submission itself.
   */
  async tryOut(asked: Submission, rights: LabRights): Promise<DryRunRecord> {
    const resolved = await this.parts.engine.submissions.tryOut(asked, rights);
    const found =
      resolved === null
        ? this.#unknown('what goes on where it stopped is not played through')
        : await this.#played(resolved, rights);
    return { valid: true, dry_run: true, resolved: (resolved ?? asked).submission, ...found };
  }

  async #played(asked: Submission, rights: LabRights): Promise<Pick<DryRunRecord, 'estimate' | 'warnings'>> {
    try {
      return await this.parts.simulations.estimate(asked, rights);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const [fault] = error.faults;
      return this.#unknown(fault === undefined ? error.message : fault.message);
    }
  }

  #unknown(reason: string): { estimate: SubmissionEstimate; warnings: string[] } {
    const { clock, scheduler } = this.parts;
    const at = new Date(clock.now()).toISOString();
    const nothing = { starts_at: null, ends_at: null, seconds_per_run: null, runs: 0, tasks: [] };
    return { estimate: { at, scheduler, ...nothing, reason }, warnings: [] };
  }
}
