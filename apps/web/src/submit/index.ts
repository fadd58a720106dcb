export { Submit } from './submit.js';
