export { DocsController } from './docs.controller.js';
export { OpenApiDocument } from './openapi-document.js';
