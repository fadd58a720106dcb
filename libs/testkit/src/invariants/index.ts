export * from './facts.js';
export { judge } from './judge.js';
export { isFinal } from './lists.js';
