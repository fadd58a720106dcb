export { Station as default } from '../station.js';
