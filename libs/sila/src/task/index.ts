export { connect, SilaSession } from './connect.js';
