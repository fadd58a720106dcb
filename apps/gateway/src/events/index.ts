export { EventFeed, eventNouns } from './event-feed.js';
export { lastEventId, positionParameters, readFilter, readPosition } from './event-query.js';
export { entryText, EventStream } from './event-stream.js';
export { EventsController } from './events.controller.js';
export { requirePosition } from './feed-position.js';
export { Feed } from './feed.js';
export { feedsFrom, FeedOptions, StreamPlaces, type AdmittedGuest } from './stream-places.js';
