/** Whether a text has the form of a token of this service. */
export function isAccessToken(text: string): boolean {
  return /^svc_(pat|svc)_[\w-]{43}$/.test(text);
}

/** Whether a text has the form of the token of a session. Only a cookie may bring one. */
export function isSessionToken(text: string): boolean {
  return /^svc_ses_[\w-]{43}$/.test(text);
}
