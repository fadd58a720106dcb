export { natsServerBinary, startNats, type NatsFixture, type NatsOptions } from './nats.js';
export { testNats, type TestNats } from './nats-accounts.js';
export { freePort, startServiceStack, type Stack, type StackOptions } from './stack.js';
export { testPostgres, type TestDatabase, type TestPostgres } from './postgres.js';
export { optimizerModules, type OptimizerModule } from './optimizer-modules.js';
