export { FolderFiles, type InstrumentFilesPorts } from './instrument-files.js';
