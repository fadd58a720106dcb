export { CodeUser, type Sharing } from './code-user.js';
export { Debuggers, demandDevelopment, type DebuggedStart } from './debuggers.js';
export { hasRecentPip, requirementLines, toolReason } from './environment-build.js';
export { fetchFile, type FilePiece, type WantedFile } from './fetched-file.js';
export { ForkedProcess, type ForkedExit, type ForkOptions } from './forked-process.js';
export { nodeHost, pythonHost, type HostProgram } from './host-program.js';
export {
  forgetUnused,
  ModuleCache,
  type CodeCheck,
  type CodeManifests,
  type PackedPackages,
} from './module-cache.js';
export { npmInstall, type NpmEnd } from './npm-command.js';
export { NpmPackages, type Unpack } from './npm-packages.js';
export { runProgram, type ProgramEnd } from './program-run.js';
export { Python, type FoundPython, type Interpreters } from './python.js';
export { PythonEnvironments } from './python-environments.js';
export { askPython, type PythonTools } from './python-kind.js';
