export { pathBelow, unpackFiles, type Unpacked } from './unpack-files.js';
