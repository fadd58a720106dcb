export { Link, type LinkOptions } from './link.js';
export { ExchangeError, NoAnswer, type Exchange, type Request } from './request.js';
