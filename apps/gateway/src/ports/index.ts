export { announcementsOver } from './announcements-over-bus.js';
export { Announcements, BrokerStatus, type CallOptions, Requests } from './broker.js';
export {
  DeliveryStore,
  DeviceFileStore,
  EnrolmentStore,
  EventReader,
  FileStore,
  Keys,
  LogReader,
  PackageStore,
  RecordReader,
  RefusalStore,
  TokenStore,
  WebhookStore,
} from './stores.js';
