export { MadsciDevice } from './madsci-device.js';
