import { Controller } from '@nestjs/common';
import {
  orchestratorRequests as requests,
  type DryRunRecord,
  type ProtocolRunSubmission,
  type SimulationRecord,
  type SimulationScenario,
  type Submission,
  type WhatIfRecord,
} from '@lab/contracts';
import { Handles } from '@lab/messaging/nest';
import { DryRuns } from './dry-runs.js';
import { Simulations } from './simulations.js';

/** What would become of work. Nothing of it changes anything. */
@Controller()
export class SimulationsController {
  constructor(
    private readonly simulations: Simulations,
    private readonly dryRuns: DryRuns,
  ) {}

  @Handles(requests.simulate)
  simulate(scenario: SimulationScenario): Promise<SimulationRecord> {
    return this.simulations.simulate(scenario);
  }

  @Handles(requests.simulateProtocolRun)
  simulateProtocolRun(submission: ProtocolRunSubmission): Promise<WhatIfRecord> {
    return this.simulations.whatIf(submission);
  }

  @Handles(requests.dryRun)
  dryRun(asked: Submission): Promise<DryRunRecord> {
    return this.dryRuns.tryOut(asked);
  }
}
