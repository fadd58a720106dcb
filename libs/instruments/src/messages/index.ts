export {
  answerEntry,
  answerFrom,
  answerSpec,
  condition,
  excerpt,
  holds,
  takeAnswer,
  unitsOf,
} from './answers.js';
export { type AnswerSpec, type Condition } from './answers.js';
export { deviceSettings, withoutEmpty, type DeviceSettings } from './device-settings.js';
export { MessageDevice, type FunctionPlan, type Protocol, type Surroundings } from './message-device.js';
export type { Ask, Message, OpenPort, Port, PortEvents, Purpose } from './port.js';
export type { Mask } from '../recordings/index.js';
export { readGiven, readSecret, secretSource, type SecretSource } from './secrets.js';
export { fingerprintOf, openSocket, readTls, tlsSettings, type Target, type TlsFiles } from './sockets.js';
export { fill, fillText, objectWith, placesIn, twinEntry, valueAt, type TwinEntry } from '../twins/index.js';
export { TwinModel } from './twin-model.js';
