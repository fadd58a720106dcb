/** The agents: which are reachable, what they report, and the commands that they get. */

export { AgentDirectory, type Presence } from './agent-directory.js';
export type { AgentRegistration, Heartbeat } from './agent-messages.js';
export { AgentNews, type AgentWelcome } from './agent-reports.js';
export { AttemptTalk } from './attempt-commands.js';
export { DeviceAssigner } from './device-assigner.js';
export { standingOf } from './device-status.js';
export { needAttention, recordResult } from './results.js';
export { StandingEvents } from './status-events.js';
