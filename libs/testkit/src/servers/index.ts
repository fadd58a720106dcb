export { actKeys } from './act-keys.js';
export { AiServer, type Asked } from './ai-server.js';
export { Computer, type Disk } from './computer.js';
export { Link, type Direction } from './link.js';
export { startNats, type NatsFixture, type NatsOptions } from './nats.js';
export { startProgram, stopProgram } from './program.js';
export { freePort, startServiceStack, type Stack, type StackOptions } from './stack.js';
export { startSecuredNats, type SecuredNats } from './secured-nats.js';
