export { launchdAgent } from './launchd.js';
export { type Installation, type ServicePlan } from './plan.js';
export {
  systemDataFolder,
  systemdSystemUnit,
  agentUser,
  type CodeAccount,
  systemdUserUnit,
} from './systemd.js';
export { scheduledTask } from './task-scheduler.js';
