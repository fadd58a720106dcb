export { rolesScript } from '../roles/index.js';
export { bringUpToDate } from './bring-up-to-date.js';
