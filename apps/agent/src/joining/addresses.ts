/**
 * The address of a gateway as people type it, without a path.
 *
 * @throws Error in one sentence
 */
export function gatewayAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:') return url.origin;
  if (url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    return url.origin;
  throw new Error(
    `The address of the service must begin with https://, as in https://lab-server:8443; ${JSON.stringify(text)} does not.`,
  );
}

/**
 * The address of an HTTP proxy. Other programs also accept HTTPS_PROXY without `http://`.
 *
 * @throws Error in one sentence, without the address, which may have a password
 */
export function proxyAddress(text: string): string {
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (URL.canParse(full) && ['http:', 'https:'].includes(new URL(full).protocol)) return full;
  throw new Error(
    'The address of the proxy must look like http://proxy.example.org:3128; see --proxy and HTTPS_PROXY.',
  );
}
