export { replaceFile } from './replace-file.js';
