export { ExchangeError, failure, isFailure, messageOf, type Failure } from './errors.js';
