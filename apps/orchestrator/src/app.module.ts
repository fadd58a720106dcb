import { Module, type DynamicModule } from '@nestjs/common';
import { Engine } from '@lab/engine';
import { FileTickets } from '@lab/object-store';
import { AgentsController } from './agents.controller.js';
import { FilesController } from './files.controller.js';
import { DefinitionsController } from './definitions/definitions.controller.js';
import { LabLoading } from './definitions/lab-loading.js';
import { LoadedDefinitions } from './definitions/loaded-definitions.js';
import { PackageIndex } from './definitions/package-index.js';
import { ProtocolLoading } from './definitions/protocol-loading.js';
import { ChangesController } from './changes.controller.js';
import { OptimizersController } from './optimizers.controller.js';
import { PausesController } from './pauses.controller.js';
import { DecisionsController } from './decisions.controller.js';
import { ScheduleController } from './schedule.controller.js';
import { SimulationsController } from './simulation/simulations.controller.js';
import { DryRuns } from './simulation/dry-runs.js';
import { Simulations } from './simulation/simulations.js';
import { SubmissionsController } from './submissions.controller.js';

/** What the controllers speak to. It is made and stopped outside; Nest only hands it round. */
export interface Parts {
  engine: Engine;
  index: PackageIndex;
  definitions: LoadedDefinitions;
  labs: LabLoading;
  protocols: ProtocolLoading;
  tickets: FileTickets;
  simulations: Simulations;
  dryRuns: DryRuns;
}

@Module({})
export class AppModule {
  static of({
    engine,
    index,
    definitions,
    labs,
    protocols,
    tickets,
    simulations,
    dryRuns,
  }: Parts): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        SubmissionsController,
        ChangesController,
        PausesController,
        OptimizersController,
        AgentsController,
        DecisionsController,
        ScheduleController,
        FilesController,
        DefinitionsController,
        SimulationsController,
      ],
      providers: [
        { provide: Engine, useValue: engine },
        { provide: PackageIndex, useValue: index },
        { provide: LoadedDefinitions, useValue: definitions },
        { provide: LabLoading, useValue: labs },
        { provide: ProtocolLoading, useValue: protocols },
        { provide: Simulations, useValue: simulations },
        { provide: DryRuns, useValue: dryRuns },
        { provide: FileTickets, useValue: tickets },
      ],
    };
  }
}
