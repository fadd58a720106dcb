export type {
  ByteRange,
  Content,
  DownloadTicket,
  FileGrant,
  FileStore,
  ListedObject,
  ObjectHead,
  ObjectStore,
  TicketRequest,
  UploadTicket,
} from './object-store.js';
export { openFileStore, type FileStoreOptions } from './file-store.js';
export type { S3StoreOptions } from './s3-store.js';
export { openFiles, type FilesOptions } from './open-files.js';
export { deviceFileKey, taskFileKey, taskFilesPrefix } from './task-file-key.js';
export { FileTickets, type FileTicketsOptions } from './file-tickets.js';
