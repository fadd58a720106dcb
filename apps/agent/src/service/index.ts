export { launchdAgent } from './launchd.js';
export { type Installation, type ServicePlan } from './plan.js';
export { systemDataFolder, systemdSystemUnit, systemdUserUnit } from './systemd.js';
export { scheduledTask } from './task-scheduler.js';
