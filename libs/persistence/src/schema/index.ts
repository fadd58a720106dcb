export * from './archived.js';
export { eventChannel } from './commit-function.js';
export type * from './database.js';
export type * from './gateway-rows.js';
export { migrate, ownSchema, schemaOf, type SchemaState } from './migrate.js';
export * from './storable-text.js';
export { snakeCase, type Columns, type Stored, type Table } from './table.js';
export * as tables from './tables.js';
