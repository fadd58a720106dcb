export { Device } from './device.js';
export { Devices } from './devices.js';
import './equipment.css';
