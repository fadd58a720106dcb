export {
  brokerIdentity,
  identitySettings,
  revocationsIn,
  type BrokerIdentity,
  type Revocations,
} from './broker-identity.js';
export { issueCredentials, systemCredentials } from './credentials.js';
export { accountOf, makeKeys, readKeys, type Keys } from './keys.js';
