export { OpcuaDevice } from './opcua-device.js';
export { InstrumentError } from '../messages/index.js';
