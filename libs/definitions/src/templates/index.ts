export { render, type Rendered } from './render.js';
export { SourceMap } from './source-map.js';
export { type TemplateError } from './syntax-errors.js';
