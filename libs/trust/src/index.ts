export {
  brokerIdentity,
  identitySettings,
  revocationsIn,
  type BrokerIdentity,
  type Revocations,
} from './broker-identity.js';
export { issueCredentials, systemCredentials } from './credentials.js';
export { accountOf, agentSeeds, makeKeys, readKeys, withNewAgentKey, type Keys } from './keys.js';
