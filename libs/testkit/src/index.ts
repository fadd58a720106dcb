export { natsServerBinary, startNats, type NatsFixture, type NatsOptions } from './nats.js';
export { freePort, startServiceStack, type Stack, type StackOptions } from './stack.js';
export { startTestPostgres, type TestDatabase, type TestPostgres } from './postgres.js';
export { optimizerModules, type OptimizerModule } from './optimizer-modules.js';
