export type {
  ByteRange,
  Content,
  ListedObject,
  ObjectHead,
  ObjectStore,
  TicketRequest,
  UploadTicket,
} from './object-store.js';
export { openFileStore, type FileStore, type FileStoreOptions } from './file-store.js';
export { taskFileKey } from './task-file-key.js';
export type { UploadGrant } from './upload-token.js';
