export { arrive, issuer, leaveForIssuer, signInFailure } from './arrival.js';
export { beginSession, client } from './client.js';
export { LabProvider, useFreshness, useLab, useMayAct, useNow, useSight } from './lab.js';
export { readPages } from './read-pages.js';
export { usePages, type Pages } from './use-pages.js';
export { useRecord, type Loaded } from './use-record.js';
export { isForbidden, isSignedOut, reasonOf } from './reasons.js';
export { usePolling } from './use-polling.js';
export { actOnWork, changeWork, type WorkAct, type WorkSettings, type WorkSubject } from './work-requests.js';
