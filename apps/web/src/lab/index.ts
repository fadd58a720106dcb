export { arrive, issuer, leaveForIssuer, signInFailure } from './arrival.js';
export { beginSession, client } from './client.js';
export { LabProvider, useFreshness, useLab, useMayAct, useNow, useSight } from './lab.js';
export { readSeen } from './seen.js';
export { useRecord } from './use-record.js';
export { isForbidden, isSignedOut, reasonOf } from './reasons.js';
