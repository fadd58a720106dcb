export { DocsController } from './docs.controller.js';
export { HomeController } from './home.controller.js';
export { OpenApiDocument } from './openapi-document.js';
