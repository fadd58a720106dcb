/** Whether a text has the form of a token of this service. */
export function isAccessToken(text: string): boolean {
  return /^svc_(pat|svc)_[\w-]{43}$/.test(text);
}
