export { openTaskFiles, openVault } from './folder.js';
