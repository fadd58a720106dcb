import { isServiceError, ServiceError } from '@lab/contracts';

/** The name that S3 gives an error: `NoSuchKey`, `InvalidRange`, or the code of the connection. */
export function nameOf(error: unknown): string {
  const source = isServiceError(error) ? error.cause : error;
  if (!(source instanceof Error)) return 'unknown';
  if ('code' in source && typeof source.code === 'string') return source.code;
  if (!/^Unknown/.test(source.name)) return source.name;
  // An answer to HEAD has no body.
  const status = (source as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return status === 404 ? 'NotFound' : `HTTP ${status ?? 'error'}`;
}

/** True when the object or upload does not exist. */
export function isAbsent(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(nameOf(error));
}

/**
 * Maps errors of the server to errors of the service, without its address and without requests, which hold signatures.
 */
export async function storage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isServiceError(error)) throw error;
    const code = nameOf(error);
    const cause = Object.assign(new Error(error instanceof Error ? error.message : String(error)), { code });
    throw new ServiceError('service_unavailable', `the object store failed (${code})`, {
      effect: 'none',
      cause,
    });
  }
}
