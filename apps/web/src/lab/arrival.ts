/** Where a person wants to be after they have signed in at the issuer, kept by this tab of the browser alone. */
const storageKey = 'svc-wanted';
/** Addresses of the service for the sign-in. The last one answers with the page. */
const signInPath = '/sign-in';

const { issuer: named, signIn: failed } = document.documentElement.dataset;

/** What the service calls the issuer at which people sign in; undefined: they cannot. */
export const issuer = named || undefined;
/** Why the person who comes back from the issuer is not signed in, in a sentence; undefined: they are, or were not there. */
export const signInFailure = failed || undefined;

/** Leaves the page for the issuer. */
export function leaveForIssuer(): void {
  try {
    sessionStorage.setItem(storageKey, location.pathname + location.search);
  } catch {
    // A browser may forbid it. The person then comes back to the first page.
  }
  location.assign(signInPath);
}

/** Shows the address at which the person wanted to be, when they come back from the issuer. */
export function arrive(): void {
  if (!location.pathname.startsWith(signInPath)) return;
  let wanted: string | null = null;
  try {
    wanted = sessionStorage.getItem(storageKey);
    sessionStorage.removeItem(storageKey);
  } catch {
    // As above.
  }
  // Two slashes at the start would name another site.
  history.replaceState(null, '', wanted !== null && /^\/(?!\/)/.test(wanted) ? wanted : '/');
}
