export * from './facts.js';
export { judge } from './judge.js';
