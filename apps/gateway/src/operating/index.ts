export { AttentionController } from './attention.controller.js';
export { EmergencyStopsController } from './emergency-stops.controller.js';
export { EmergencyStops } from './emergency-stops.js';
export { DeviceRoster } from './roster.js';
export { StopReports } from './stop-reports.js';
export { DrainsController } from './drains.controller.js';
export { QueueController } from './queue.controller.js';
export { ScheduleController } from './schedule.controller.js';
