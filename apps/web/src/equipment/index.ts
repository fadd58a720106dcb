export { Device } from './device.js';
export { Devices } from './devices.js';
export { DeviceState, factsOf } from './device-facts.js';
export { Service } from './service.js';
