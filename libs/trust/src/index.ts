export {
  brokerIdentity,
  identitySettings,
  revocationsIn,
  type BrokerIdentity,
  type Revocations,
} from './broker-identity.js';
export { issueCredentials, systemCredentials } from './credentials.js';
export {
  accountOf,
  authorityRing,
  makeKeys,
  processRing,
  readKeys,
  seedsOf,
  withNewAgentKey,
  withNewAuthority,
  withNewProcessKeys,
  type Keys,
} from './keys.js';
