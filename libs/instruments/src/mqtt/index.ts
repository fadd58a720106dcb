export { MqttDevice } from './mqtt-device.js';
export { InstrumentError } from '../messages/index.js';
