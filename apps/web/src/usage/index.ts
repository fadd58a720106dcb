export { Usage } from './usage.js';
