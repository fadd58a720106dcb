export { PageFiles } from './page-files.js';
export { sendPage, servePage } from './serve-page.js';
