export { MqttDevice } from './mqtt-device.js';
export { ExchangeError } from '../errors/index.js';
