export { startStack, type Stack, type StackOptions } from './start-stack.js';
export { eventText, type StackEvent } from './events.js';
export { stackConfig, type StackConfig } from './config.js';
