export { AgentPackages } from './agent-packages.js';
export { serveAgents } from './agent-routes.js';
export { BrokerRelay, type BrokerPlace } from './broker-relay.js';
export { EnrolmentController } from './enrolment.controller.js';
export { Enrolments, type EnrolmentOptions, type TrustedAuthorities } from './enrolments.js';
export { RolloutsController } from './rollouts.controller.js';
