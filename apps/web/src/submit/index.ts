export { Submit } from './submit.js';
import './submit.css';
