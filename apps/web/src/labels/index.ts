export { Labels, type LabelSearch } from './labels.js';
