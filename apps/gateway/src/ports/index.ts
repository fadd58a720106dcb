export { announcementsOver } from './announcements-over-bus.js';
export { Announcements, BrokerStatus, type CallOptions, Requests } from './broker.js';
export { FileStore } from './file-store.js';
export {
  DeliveryStore,
  EventReader,
  Keys,
  LogReader,
  RecordReader,
  TokenStore,
  WebhookStore,
} from './stores.js';
