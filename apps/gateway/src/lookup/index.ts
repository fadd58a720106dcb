export { committed, found } from './found.js';
export { AddressOfTask, foundTask, type TaskAddress } from './task-address.js';
