import type { Log } from '@lab/ports';
import { AgentService, type ServiceParts } from './agent-service.js';
import { EffectsOverBus } from './effects-over-bus.js';
import { OrchestratorOverBus } from './orchestrator-over-bus.js';
import { PeersOverBus } from './peers-over-bus.js';

/** The ports of an agent that use the bus. `service` is its announcer. */
export interface WiredAgent {
  service: AgentService;
  orchestrator: OrchestratorOverBus;
  peers: PeersOverBus;
  effects: EffectsOverBus;
}

/** Connects one agent to a bus: the agent process and the fault simulator both call this function. */
export function wireAgent(parts: Omit<ServiceParts, 'orchestrator'> & { log: Log }): WiredAgent {
  const { bus, clock, computer, timers, wall, log } = parts;
  const orchestrator = new OrchestratorOverBus(bus, computer);
  return {
    orchestrator,
    service: new AgentService({ ...parts, orchestrator }),
    peers: new PeersOverBus(bus, computer, clock, timers, log),
    effects: new EffectsOverBus(bus, computer, wall),
  };
}
