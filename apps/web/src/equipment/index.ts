export { Devices } from './devices.js';
