export { Campaign } from './campaign.js';
export { Run } from './run.js';
export { Task } from './task.js';
import './work.css';
