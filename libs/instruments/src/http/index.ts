export { HttpDevice } from './http-device.js';
export { InstrumentError } from '../messages/index.js';
