export { openGatewayStore, type GatewayStore } from './store.js';
export { issueToken } from './issue-token.js';
