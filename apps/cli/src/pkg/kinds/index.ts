import type { DeviceKind } from './kind.js';
import { modbus } from './modbus.js';
import { scpi } from './scpi.js';
import { serial } from './serial.js';

export type { DeviceKind } from './kind.js';

/** The kinds of devices that `svc pkg add device --kind` knows. */
export const deviceKinds: readonly DeviceKind[] = [modbus, scpi, serial];
