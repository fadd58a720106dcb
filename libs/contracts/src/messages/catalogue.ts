import { agentEvents, agentRequests, peerRequests, stopReport } from './agent.js';
import type { AnyEvent, AnyRequest } from './define.js';
import { definitionRequests } from './definitions.js';
import { deviceFileRequests } from './device-files.js';
import { effectRequests } from './effects.js';
import { logRequests } from './log.js';
import { optimizerEvents, optimizerRequests } from './optimizer.js';
import { orchestratorEvents, orchestratorRequests } from './orchestrator.js';
import { serviceEvents, serviceRequests } from './service.js';

/** Every message on the broker. */
export const catalogue: readonly (AnyRequest | AnyEvent)[] = [
  orchestratorRequests,
  definitionRequests,
  agentRequests,
  peerRequests,
  optimizerRequests,
  logRequests,
  effectRequests,
  deviceFileRequests,
  serviceRequests,
  orchestratorEvents,
  agentEvents,
  { stopReport },
  optimizerEvents,
  serviceEvents,
].flatMap((group): (AnyRequest | AnyEvent)[] => Object.values(group));
