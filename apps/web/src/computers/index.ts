export { Computer } from './computer.js';
export { Computers } from './computers.js';
