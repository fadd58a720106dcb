import { ServiceError } from '@lab/contracts';
import { compare, contentOf } from './content.js';
import type { FileTickets } from './file-tickets.js';
import type { Content, FileGrant, FileStore, TicketRequest, UploadTicket } from './object-store.js';

/** The part of a store that does not depend on where its bytes are: tickets, and the progress of uploads. */
export abstract class TicketedStore {
  constructor(private readonly tickets: FileTickets) {}

  abstract get(...args: Parameters<FileStore['get']>): ReturnType<FileStore['get']>;
  abstract head(key: string): ReturnType<FileStore['head']>;
  /** Number of bytes of an unfinished upload that have arrived; undefined: there is none. */
  protected abstract arrived(grant: FileGrant): Promise<number | undefined>;

  uploadTicket(request: TicketRequest): Promise<UploadTicket> {
    return this.tickets.uploadTicket(request);
  }

  acceptTicket(token: string, now?: number): FileGrant {
    return this.tickets.acceptTicket(token, now);
  }

  acceptDownload(token: string): FileGrant {
    return this.tickets.acceptDownload(token);
  }

  async received(grant: FileGrant): Promise<number> {
    const arrived = await this.arrived(grant);
    if (arrived !== undefined) return arrived;
    const head = await this.head(grant.key);
    return head?.size === grant.size ? grant.size : 0;
  }

  /**
   * If nothing is left of an upload to continue, its answer was lost: compares the stored object with the grant.
   *
   * @returns undefined when there is something to receive
   */
  protected async confirmed(grant: FileGrant, from: number): Promise<Content | undefined> {
    if (from === 0 || from !== grant.size || (await this.arrived(grant)) !== undefined) return undefined;
    const content = await contentOf(await this.get(grant.key));
    try {
      compare(content, grant);
    } catch (cause) {
      throw new ServiceError('wrong_state', 'what is stored is something else: begin again', { cause });
    }
    return content;
  }
}
