import type { LabRights, ReplyOf, RequestOf } from '@lab/contracts';
import type { NamedSubmission } from '@lab/messaging';
import type { SubmissionEntry } from '../audit/index.js';
import type { Asked } from '../idempotency/index.js';
import type { Orchestrator } from '../orchestrator/index.js';

/** A submission as the gateway received it. */
export interface Received {
  /** Of the caller. */
  rights: LabRights;
  asked: Asked;
  written: SubmissionEntry;
}

/**
 * Submits work. The orchestrator commits the work and the audit entry of the request together.
 *
 * @param isMade whether this very submission made something
 * @throws ServiceError as {@link Orchestrator.make}
 */
export async function submitWork<D extends NamedSubmission>(
  orchestrator: Orchestrator,
  definition: D,
  submission: Omit<RequestOf<D>, 'rights'>,
  { asked, written, rights }: Received,
  isMade: () => Promise<boolean>,
): Promise<ReplyOf<D> | { name: string }> {
  const audited = { ...submission, audit: written.entry, rights } as RequestOf<D>;
  const made = await orchestrator.make<D>(definition, audited, asked, isMade);
  written.committed = 'id' in made;
  return made;
}
