export { LabsController } from './labs.controller.js';
export { LoadedProtocols } from './loaded-protocols.js';
export { PackageVersionsController } from './package-versions.controller.js';
export { PackagesController } from './packages.controller.js';
export { ProtocolsController } from './protocols.controller.js';
