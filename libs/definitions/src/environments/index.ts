export { environmentOf } from './bundled.js';
export {
  largestLock,
  largestWheel,
  lockFile,
  lockText,
  neededBy,
  readLock,
  wheelsFolder,
  type LockedLibrary,
  type LockedWheel,
  type NeededLibrary,
  type PythonLock,
} from './lock.js';
export { markerHolds, type MarkerValues } from './markers.js';
export {
  differenceFrom,
  libraryOf,
  projectFile,
  readProject,
  requirementsOf,
  type PythonProject,
} from './project.js';
export { satisfies } from './versions.js';
export { fits, normalizedName, wheelOf, type PythonKind, type WheelName } from './wheels.js';
