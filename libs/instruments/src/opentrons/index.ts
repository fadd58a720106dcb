export { OpentronsDevice } from './opentrons-device.js';
