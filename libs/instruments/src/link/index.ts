export { Link } from './link.js';
export type { LinkOptions } from './options.js';
export { NoAnswer, type Exchange, type Reading, type Request } from './request.js';
