export { ScpiDevice, ScpiError, scpiSettings, type ScpiSettings } from './scpi-device.js';
export { scpiTwin } from './scpi-twin.js';
