import { Module, type DynamicModule } from '@nestjs/common';
import { Engine } from '@lab/engine';
import type { ObjectStore } from '@lab/object-store';
import { AgentsController } from './agents.controller.js';
import { FilesController } from './files.controller.js';
import { LoadedPackages } from './loaded-packages.js';
import { SubmissionsController } from './submissions.controller.js';
import { objectStoreToken } from './tokens.js';

/** What the controllers speak to. It is made and stopped outside; Nest only hands it round. */
export interface Parts {
  engine: Engine;
  packages: LoadedPackages;
  objectStore: ObjectStore;
}

@Module({})
export class AppModule {
  static of({ engine, packages, objectStore }: Parts): DynamicModule {
    return {
      module: AppModule,
      controllers: [SubmissionsController, AgentsController, FilesController],
      providers: [
        { provide: Engine, useValue: engine },
        { provide: LoadedPackages, useValue: packages },
        { provide: objectStoreToken, useValue: objectStore },
      ],
    };
  }
}
