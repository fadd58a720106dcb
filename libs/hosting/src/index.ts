export { CodeUser, type Sharing } from './code-user.js';
export { ForkedProcess, type ForkedExit, type ForkOptions } from './forked-process.js';
export { nodeHost, pythonHost, type HostProgram } from './host-program.js';
export {
  forgetUnused,
  ModuleCache,
  type ArchivePiece,
  type CodeCheck,
  type CodeManifests,
  type PackedPackages,
} from './module-cache.js';
export { npmInstall, type NpmEnd } from './npm-command.js';
export { NpmPackages, type Unpack } from './npm-packages.js';
export { Python, type FoundPython } from './python.js';
