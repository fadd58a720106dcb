/** The agents: which are reachable, what they report, and the commands that they get. */

export { AgentDirectory, type Presence } from './agent-directory.js';
export type { RefusedAgent } from './refused-agents.js';
export type { AgentRegistration, Heartbeat } from './agent-messages.js';
export { AgentReports } from './agent-reports.js';
export { AttemptCommands } from './attempt-commands.js';
export { DeviceAssigner, type MissingCode, type WantedCode } from './device-assigner.js';
export { type ComputerUse, tasksOn, useOf } from './computer-use.js';
export { mayHaveMoved, needsPerson } from './device-doubt.js';
export { deviceStatusOf } from './device-status.js';
export { needAttention } from './results.js';
export { StatusEvents } from './status-events.js';
