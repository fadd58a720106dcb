import {
  isWithinLabs,
  ServiceError,
  type DefinitionRecord,
  type DefinitionSummary,
  type LabRights,
} from '@lab/contracts';

/**
 * A definition as a caller may see it: a type of tasks or devices of at least one of their laboratories, and else one of
 * laboratories that are all theirs.
 *
 * @returns undefined: the caller may not see it
 */
export function visible<Definition extends DefinitionSummary>(
  definition: Definition,
  { see }: LabRights,
): Definition | undefined {
  const { type, labs } = definition;
  if (see === 'all') return definition;
  const seen = labs.filter((lab) => see.includes(lab));
  const isSeen = type === 'task' || type === 'device' ? seen.length > 0 : isWithinLabs(labs, see);
  return isSeen ? { ...definition, labs: seen } : undefined;
}

/** @throws ServiceError `not_found` as if the caller asked for one that does not exist */
export function requireVisible(definition: DefinitionRecord, rights: LabRights): DefinitionRecord {
  const { type, name } = definition;
  const seen = visible(definition, rights);
  if (seen !== undefined) return seen;
  throw new ServiceError('not_found', `the packages define no ${type} "${name}"`);
}
