export { Schedule } from './schedule.js';
import './schedule.css';
