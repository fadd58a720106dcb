export { EosDevice } from './eos-device.js';
