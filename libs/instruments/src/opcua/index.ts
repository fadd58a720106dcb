export { OpcuaDevice } from './opcua-device.js';
export { ExchangeError } from '../errors/index.js';
