export { contentHash } from './canonical.js';
export { Catalog, type DefinitionOrigin } from './catalog.js';
export {
  archivesFile,
  archivesIn,
  vendorFolder,
  type ListedArchive,
  type PackageArchive,
} from './archives.js';
export { codeManifestFile, codeManifestText, namedArchives, type PackageCode } from './package-code.js';
export type { DeployedPackage } from './discover.js';
export { createLoader, type DefinitionLoader, type LoadOptions, loadPackages } from './load-packages.js';
export { readPackageSources, type PackageSource } from './package-sources.js';
export { validateProtocolText } from './validate-protocol.js';
