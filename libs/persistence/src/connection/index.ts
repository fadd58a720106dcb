export * from './database-errors.js';
export * from './open-database.js';
