export { testNats, type TestNats } from './nats-accounts.js';
export { asRole, testPostgres, type TestDatabase, type TestPostgres } from './postgres.js';
export { optimizerModules, type OptimizerModule } from './optimizer-modules.js';
