export { keep, type KeeperOptions } from './keeper.js';
export { keptHere, type Keeper } from './kept.js';
export {
  giveToOwner,
  isVersion,
  keeperLock,
  readPointer,
  syncFolder,
  versionsIn,
  writePointer,
  type Pointer,
} from './pointer.js';
export { programIn, type Program } from './program.js';
