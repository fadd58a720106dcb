export { dataFolder, type Surroundings } from './data-folder.js';
export { defaultsFor, joinedFile, readJoined, type Joined } from './joined.js';
export { awaitStop, lockOf, requestStop } from './stop-request.js';
