export { openFolderVault, openTaskFiles, openVault } from './places.js';
