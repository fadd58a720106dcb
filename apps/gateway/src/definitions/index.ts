export { LabsController } from './labs.controller.js';
export { LoadedProtocols } from './loaded-protocols.js';
export { PackagesController } from './packages.controller.js';
export { ProtocolsController } from './protocols.controller.js';
