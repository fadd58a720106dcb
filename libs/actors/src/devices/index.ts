export type { CheckArguments } from './declared-functions.js';
export type { DeviceActorPorts, DeviceCall } from './device-actor.js';
export { Devices, keyOf, type DeviceName } from './devices.js';
export { emergencyStopText } from './stops-in-force.js';
