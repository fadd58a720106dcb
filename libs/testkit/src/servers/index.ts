export { Link, type Direction } from './link.js';
export { startNats, type NatsFixture } from './nats.js';
export { freePort, startServiceStack, type Stack, type StackOptions } from './stack.js';
