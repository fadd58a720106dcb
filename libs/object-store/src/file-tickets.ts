import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import { checkKey } from './key-path.js';
import type { DownloadTicket, FileGrant, TicketRequest, UploadTicket } from './object-store.js';

/** Keeps these signatures apart from each other, and from any other use of the same secret. */
const purposes = { upload: 'upload.1.', download: 'download.1.' } as const;
type Purpose = keyof typeof purposes;

export type TicketSecrets = readonly [string, ...string[]];

export interface FileTicketsOptions {
  /** Where agents reach the gateway, for example `http://127.0.0.1:8070`. */
  publicUrl: string;
  /**
   * Signs tickets; the same in every process, at least 16 characters. A function gives the secrets of this moment: the first one
   * signs, and all are accepted.
   */
  secret: string | (() => TicketSecrets);
  /** Milliseconds since 1970. Default: the clock of the system. */
  now?: (() => number) | undefined;
}

const minSecretLength = 16;

/**
 * Issues tickets for uploads and downloads of files, and verifies them in any process with the same secret, without a
 * store.
 */
export class FileTickets {
  readonly #publicUrl: string;
  readonly #secrets: () => TicketSecrets;
  readonly #now: () => number;

  /** @throws ServiceError `bad_request` for a short secret */
  constructor({ publicUrl, secret, now = Date.now }: FileTicketsOptions) {
    const secrets = typeof secret === 'string' ? (): TicketSecrets => [secret] : secret;
    if (secrets().some(({ length }) => length < minSecretLength)) {
      throw new ServiceError(
        'bad_request',
        `the secret for tickets of files needs ${minSecretLength} characters or more`,
      );
    }
    this.#publicUrl = publicUrl.replace(/\/+$/, '');
    this.#secrets = secrets;
    this.#now = now;
  }

  /**
   * A ticket for uploading one object with exactly this content.
   *
   * @throws ServiceError `invalid` when key, size, hash or validity make no sense
   */
  async uploadTicket(request: TicketRequest): Promise<UploadTicket> {
    return {
      method: 'PUT',
      url: `${this.#publicUrl}/api/uploads/${this.#sign('upload', request)}`,
      headers: { 'content-type': 'application/octet-stream' },
    };
  }

  /**
   * A ticket for downloading one object.
   *
   * @throws ServiceError `invalid` when key, size, hash or validity make no sense
   */
  downloadTicket(request: TicketRequest): DownloadTicket {
    return { url: `${this.#publicUrl}/api/downloads/${this.#sign('download', request)}`, headers: {} };
  }

  /**
   * What the bearer of a token may upload.
   *
   * @param now milliseconds since 1970; default: the clock of the tickets
   * @throws ServiceError `forbidden` when the token is not one of ours, was changed or has expired
   */
  acceptTicket(token: string, now = this.#now()): FileGrant {
    return readGrant('upload', token, now, this.#secrets());
  }

  /** What the bearer of a token may download. @throws as {@link acceptTicket} */
  acceptDownload(token: string): FileGrant {
    return readGrant('download', token, this.#now(), this.#secrets());
  }

  #sign(purpose: Purpose, { key, size, sha256, expiresInMs }: TicketRequest): string {
    checkKey(key);
    if (!Number.isSafeInteger(size) || size < 0) throw invalid('size', 'must be a number of bytes');
    if (!/^[0-9a-f]{64}$/i.test(sha256)) throw invalid('sha256', 'must be 64 hexadecimal digits');
    if (!(expiresInMs > 0)) throw invalid('expiresInMs', 'must be greater than 0');
    const grant = { key, size, sha256: sha256.toLowerCase() };
    return signGrant(purpose, grant, Math.ceil(this.#now() + expiresInMs), this.#secrets()[0]);
  }
}

/** Signs a grant. The bearer of the token may use it until it expires; nobody can change it. */
function signGrant(purpose: Purpose, grant: FileGrant, expiresAt: number, secret: string): string {
  const { key, size, sha256 } = grant;
  const payload = Buffer.from(JSON.stringify([key, size, sha256, expiresAt])).toString('base64url');
  return `${payload}.${signature(purpose, payload, secret).toString('base64url')}`;
}

/**
 * @param now milliseconds since 1970
 * @throws ServiceError `forbidden` when the token was signed with none of the secrets, or has expired
 */
function readGrant(purpose: Purpose, token: string, now: number, secrets: TicketSecrets): FileGrant {
  const [payload = '', signed = '', ...rest] = token.split('.');
  const given = Buffer.from(signed, 'base64url');
  const isOf = (secret: string): boolean => {
    const wanted = signature(purpose, payload, secret);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  };
  // The text is compared too: base64url has several spellings of the same bytes.
  const genuine = rest.length === 0 && given.toString('base64url') === signed && secrets.some(isOf);
  if (!genuine) throw new ServiceError('forbidden', `the ${purpose} ticket is not valid`);
  const [key, size, sha256, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    number,
    string,
    number,
  ];
  if (now >= expiresAt) throw new ServiceError('forbidden', `the ${purpose} ticket has expired`);
  return { key, size, sha256 };
}

function signature(purpose: Purpose, payload: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(purposes[purpose]).update(payload).digest();
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('invalid', `${path} ${message}`, { faults: [{ path, code: path, message }] });
}
