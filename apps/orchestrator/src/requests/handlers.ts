import { agentEvents, definitionRequests, orchestratorRequests, serviceEvents } from '@lab/contracts';
import type { Engine } from '@lab/engine';
import { engineHandlers, engineListeners } from '@lab/leader-wiring';
import { handledBy, type Handled, type HandlersOf } from '@lab/messaging';
import { refusalsIn } from '@lab/runtime';
import type { FileTickets } from '@lab/object-store';
import type { DryRuns, Simulations } from '../simulation/index.js';
import { definitionHandlers, type DefinitionParts } from './definition-handlers.js';
import { fileHandlers } from './file-handlers.js';
import { submittedTask } from './submitted-task.js';

/** What answers the requests. The caller makes it and stops it. */
export interface Parts extends DefinitionParts {
  engine: Engine;
  tickets: FileTickets;
  simulations: Simulations;
  dryRuns: DryRuns;
}

/** Every request that the leading orchestrator serves and every event that it listens to, each with its handler. */
export function orchestratorHandlers(parts: Parts): Handled[] {
  const { engine, index, tickets, simulations, dryRuns } = parts;
  const requests: HandlersOf<typeof orchestratorRequests> = {
    ...engineHandlers(engine),
    ...fileHandlers(engine, index, tickets),
    submitTask: (submission) => submittedTask(engine.submissions, submission),
    simulate: ({ scenario, rights }) => simulations.simulate(scenario, rights),
    simulateProtocolRun: ({ submission, rights }) => simulations.whatIf(submission, rights),
    dryRun: ({ rights, ...asked }) => dryRuns.tryOut(asked, rights),
  };
  return [
    ...handledBy(orchestratorRequests, requests),
    ...handledBy(definitionRequests, definitionHandlers(parts)),
    ...handledBy(agentEvents, engineListeners(engine)),
    ...handledBy(
      { measured: serviceEvents.measured },
      {
        measured: ({ instance, families }, { tokens: { service, name } }) =>
          engine.refusals.brokerRefused(`${service}/${name}`, instance, refusalsIn(families)),
      },
    ),
  ];
}
