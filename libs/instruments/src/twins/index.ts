export { DeviceTwin, type TwinCall } from './device-twin.js';
export { fill, fillText, objectWith, placesIn, valueAt } from './templates.js';
export { twinEntry, twinSettings, TwinState, type TwinEntry, type TwinSettings } from './twin-state.js';
