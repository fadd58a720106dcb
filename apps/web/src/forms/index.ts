export { Fields } from './fields.js';
export { useFields, type FieldsState } from './use-fields.js';
