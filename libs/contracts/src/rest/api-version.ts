/**
 * Version of the REST interface: sent in `SVC-API-Version` with every answer, and `info.version` of its document. It
 * rises when something that clients rely on is taken away or changes its meaning; additions leave it.
 */
export const apiVersion = '1';

/** Header of every answer that names {@link apiVersion}. */
export const apiVersionHeader = 'SVC-API-Version';
