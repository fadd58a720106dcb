export { overSerial, serial, serialSettings, type SerialSettings } from './over-serial.js';
