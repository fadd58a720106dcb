export { LinkedDevice, type CommonSettings, type Protocol } from './linked-device.js';
export { Poll } from './poll.js';
export { commonSettings, overTcp, replaySettings, seconds, type TransportKind } from './settings.js';
