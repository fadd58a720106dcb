export { brokerIdentity, identitySettings, type BrokerIdentity } from './broker-identity.js';
export { issueCredentials } from './credentials.js';
export { makeKeys, readKeys, type Keys } from './keys.js';
