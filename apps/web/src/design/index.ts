export { LongTable, Rows } from './rows.js';
export { Bar, Button, Choice, Dialog, Failure, Section, State, TextField } from './parts.js';
