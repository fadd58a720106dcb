/** What whoever gives out rights on the broker needs: a few constants, without the schemas of the messages. */
export { permissions } from './messages/permissions.js';
export { itself, processRoles, type Permissions, type ProcessRole } from './messages/process-roles.js';
export { encodeToken } from './messages/subject-tokens.js';
