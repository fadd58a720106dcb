export { databaseRoles, grants, roleNames, rolesScript, type DatabaseRole } from './roles.js';
