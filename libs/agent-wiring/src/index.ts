export { AgentService, type ServiceParts } from './agent-service.js';
export { OrchestratorOverBus } from './orchestrator-over-bus.js';
export { PeersOverBus } from './peers-over-bus.js';
export { agentTimings } from './timings.js';
export { wireAgent, type WiredAgent } from './wire-agent.js';
