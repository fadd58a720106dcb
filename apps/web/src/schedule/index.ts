export { Schedule } from './schedule.js';
