import { eos } from './eos.js';
import { http } from './http.js';
import type { DeviceKind } from './kind.js';
import { madsci } from './madsci.js';
import { modbus } from './modbus.js';
import { mqtt } from './mqtt.js';
import { opcua } from './opcua.js';
import { opentrons } from './opentrons.js';
import { scpi } from './scpi.js';
import { serial } from './serial.js';
import { sila } from './sila.js';

export { chosenParameters } from './chosen-parameters.js';
export type { DeviceKind } from './kind.js';

/** The kinds of devices that `svc pkg add device --kind` knows. */
export const deviceKinds: readonly DeviceKind[] = [
  ...[eos, http, madsci, modbus, mqtt, opcua, opentrons, scpi, serial, sila],
];
