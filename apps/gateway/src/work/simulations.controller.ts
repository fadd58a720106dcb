import { Controller } from '@nestjs/common';
import {
  orchestratorRequests,
  ProtocolRunSubmission,
  SimulationScenario,
  type LabRights,
  type SimulationRecord,
  type WhatIfRecord,
} from '@lab/contracts';
import { anyLab, Needs, Rights } from '../access/index.js';
import { protocolRunSubmissions, simulationScenarios } from '../examples/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { Action, fromOrchestrator, Group, JsonBody, Operation, record } from '../routes/index.js';

/** Predicts the course of work. Nothing is stored, started or changed. */
@Group('Simulation')
@Needs('submitter', { lab: anyLab })
@Controller('api')
export class SimulationsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Operation('Simulate a scenario', record('SimulationRecord', 'The predicted course of the scenario.'), {
    description:
      'The simulation uses the loaded laboratories and protocols, and the engine and policies that run real work, on a clock that jumps from event to event. It stores and starts nothing. At most 2,000 tasks, 30 s and two simulations at a time.',
    problems: ['backlog_full', ...fromOrchestrator],
  })
  @Action('simulations')
  simulate(
    @JsonBody(SimulationScenario, simulationScenarios) scenario: SimulationScenario,
    @Rights() rights: LabRights,
  ): Promise<SimulationRecord> {
    return this.orchestrator.ask(orchestratorRequests.simulate, { scenario, rights });
  }

  @Operation(
    'Predict the course of a protocol run if it was submitted now',
    record(
      'WhatIfRecord',
      'When the tasks of the run would start and end, and which other work the run would delay.',
    ),
    {
      description:
        'The simulation continues from the work that is running, queued and held now, with the durations learned so far: once without the run and once with it. It stores and starts nothing.',
      problems: ['unknown_protocol', 'duplicate_name', 'backlog_full', ...fromOrchestrator],
    },
  )
  @Action('protocols/simulate')
  simulateProtocolRun(
    @JsonBody(ProtocolRunSubmission, protocolRunSubmissions) submission: ProtocolRunSubmission,
    @Rights() rights: LabRights,
  ): Promise<WhatIfRecord> {
    return this.orchestrator.ask(orchestratorRequests.simulateProtocolRun, { submission, rights });
  }
}
