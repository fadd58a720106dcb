import './labels.css';
export { Labels, type LabelSearch } from './labels.js';
