import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import {
  orchestratorRequests,
  ProtocolRunSubmission,
  SimulationScenario,
  type SimulationRecord,
  type WhatIfRecord,
} from '@lab/contracts';
import { Needs } from '../access/index.js';
import { DtoPipe, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';

/** What would become of work. Nothing is stored, started or changed. */
@Needs('submitter')
@Controller('api')
export class SimulationsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Post('simulations')
  @HttpCode(200)
  async simulate(
    @Body(new DtoPipe(SimulationScenario)) scenario: SimulationScenario,
    @Query() query: unknown,
  ): Promise<SimulationRecord> {
    readQuery(query, []);
    return this.orchestrator.ask(orchestratorRequests.simulate, scenario);
  }

  @Post('protocols/simulate')
  @HttpCode(200)
  async simulateProtocolRun(
    @Body(new DtoPipe(ProtocolRunSubmission)) submission: ProtocolRunSubmission,
    @Query() query: unknown,
  ): Promise<WhatIfRecord> {
    readQuery(query, []);
    return this.orchestrator.ask(orchestratorRequests.simulateProtocolRun, submission);
  }
}
