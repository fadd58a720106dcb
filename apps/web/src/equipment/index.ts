export { Device } from './device.js';
export { Devices } from './devices.js';
import './equipment.css';
export { DeviceState, factsOf } from './device-facts.js';
export { Service } from './service.js';
