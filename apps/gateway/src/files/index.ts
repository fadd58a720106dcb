export { attachment } from './content-disposition.js';
export { serveDeviceFiles } from './device-file-requests.js';
export { DeviceFilesController } from './device-files.controller.js';
export { serveDownloads } from './downloads.js';
export { TaskFilesController } from './task-files.controller.js';
export { serveUploads } from './uploads.js';
