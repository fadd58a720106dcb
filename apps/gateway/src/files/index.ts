export { attachment } from './content-disposition.js';
export { serveDownloads } from './downloads.js';
export { TaskFilesController } from './task-files.controller.js';
export { serveUploads } from './uploads.js';
