export { Access } from './access.js';
