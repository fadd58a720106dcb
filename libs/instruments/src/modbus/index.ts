export { ModbusDevice, modbusSettings, type ModbusSettings } from './modbus-device.js';
export { ModbusTwin, type ModbusTwinOptions } from './modbus-twin.js';
export { ModbusException } from './pdu.js';
