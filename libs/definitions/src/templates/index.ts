export { render, type Rendered, type TemplateError } from './render.js';
export { SourceMap } from './source-map.js';
