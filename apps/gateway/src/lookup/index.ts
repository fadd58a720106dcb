export { committed, found, foundTask, noBodyHint, readTaskAddress } from './found.js';
