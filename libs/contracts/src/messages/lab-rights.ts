import { z } from 'zod';

const labs = z.union([z.literal('all'), z.array(z.string())]);

/**
 * The laboratories of the caller of a request, as the gateway knows them from the roles of the caller. Every request that
 * carries it needs it: a request without it is refused, so that nobody gets all laboratories by leaving it out.
 */
export const labRights = z.object({
  /** Laboratories that the caller may see, by the role viewer. */
  see: labs,
  /** Laboratories whose devices and resources the caller may use for work, by the role submitter. */
  use: labs,
});
export type LabRights = z.infer<typeof labRights>;

/** The rights of a caller with roles for all laboratories. */
export const allLabs: LabRights = { see: 'all', use: 'all' };

/** Whether something belongs to at least one lab, and only to labs among these. Rights for all labs cover also what has none. */
export function isWithinLabs(of: Iterable<string>, labs: LabRights['see']): boolean {
  if (labs === 'all') return true;
  const names = [...of];
  return names.length > 0 && names.every((name) => labs.includes(name));
}
