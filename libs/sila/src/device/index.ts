export { SilaLocked } from './lock-keeper.js';
export type { LockTerms } from './settings.js';
export { SilaDevice } from './sila-device.js';
