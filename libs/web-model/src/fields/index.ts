export { fieldsOf, type Field, type FieldKind, type Value } from './field.js';
export { emptyText, fieldFaultCodes, readFields, textOf, type FieldFault, type Texts } from './read.js';
export { faultsByField, type FaultsByField } from './faults.js';
