/** The constants from which `@lab/trust` makes rights on the broker. They load without the schemas of the messages. */
export { permissions } from './messages/permissions.js';
export { itself, processRoles, type Permissions, type ProcessRole } from './messages/process-roles.js';
export { decodeToken, encodeToken } from './messages/subject-tokens.js';
