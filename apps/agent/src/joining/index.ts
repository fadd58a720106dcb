export { gatewayAddress, proxyAddress } from './addresses.js';
export { AgentCredentials } from './credentials.js';
export { examine, type Examined, type Finding } from './doctor.js';
export { beginRequest, GatewayDoor, type HttpWay } from './gateway-door.js';
export { join, joinedFiles, writeWhole, type Joined, type JoinOptions } from './join.js';
export { ServiceTrust } from './service-trust.js';
