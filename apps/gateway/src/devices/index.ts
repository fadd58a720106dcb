export { AgentsController } from './agents.controller.js';
export { CallPermit, HeldDevices } from './call-permit.js';
export { DeviceCalls } from './device-calls.js';
export { DeviceDetails } from './device-details.js';
export { DeviceLocator } from './device-locator.js';
export { DevicesController } from './devices.controller.js';
export { TakenDevices } from './taken-devices.js';
