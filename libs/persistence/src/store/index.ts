export type { LoadedCode } from './loaded-code.js';
export type {
  Activation,
  ActivePackage,
  AcceptedVersion,
  PackageVersion,
  PackageVersions,
  WaitingActivation,
} from './package-versions.js';
export { openStore, PostgresStore } from './postgres-store.js';
