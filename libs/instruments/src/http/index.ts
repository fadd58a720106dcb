export { HttpDevice } from './http-device.js';
export { ExchangeError } from '../errors/index.js';
