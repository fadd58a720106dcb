export type { AgentPorts, Announcer, EffectStore, Updates } from './agent-ports.js';
export { Agent, type AgentIdentity, type CallMarks, type MessageMarks, type RemoteCall } from './agent.js';
