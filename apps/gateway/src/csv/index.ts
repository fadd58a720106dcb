export { CsvController } from './csv.controller.js';
export { mostColumns, mostRows } from './parameter-rows.js';
