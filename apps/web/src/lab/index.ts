export { beginSession, client, isSignedOut, reasonOf } from './client.js';
export { LabProvider, useFreshness, useLab, useMayAct, useNow, useSight } from './lab.js';
