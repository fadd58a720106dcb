export { CodeUser, type Sharing } from './code-user.js';
export { ForkedProcess, type ForkedExit, type ForkOptions } from './forked-process.js';
export { ModuleCache, type CodeCheck, type CodeManifests } from './module-cache.js';
export { NpmPackages } from './npm-packages.js';
