export { natsServerBinary, startNats, type NatsFixture, type NatsOptions } from './nats.js';
export { testNats, type TestNats } from '../testing/nats-accounts.js';
export { freePort, startServiceStack, type Stack, type StackOptions } from './stack.js';
export { testPostgres, type TestDatabase, type TestPostgres } from '../testing/postgres.js';
export { optimizerModules, type OptimizerModule } from '../testing/optimizer-modules.js';
