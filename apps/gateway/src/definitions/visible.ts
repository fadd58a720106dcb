import {
  isWithinLabs,
  ServiceError,
  type DefinitionRecord,
  type DefinitionSummary,
  type LabRights,
} from '@lab/contracts';

/**
 * Whether a caller may see a definition: a task type, a device type of one of their laboratories, and else one of
 * laboratories that are all theirs.
 */
export function isVisible(
  { type, labs }: Pick<DefinitionSummary, 'type' | 'labs'>,
  { see }: LabRights,
): boolean {
  if (see === 'all' || type === 'task') return true;
  return type === 'device' ? labs.some((lab) => see.includes(lab)) : isWithinLabs(labs, see);
}

/** @throws ServiceError `not_found` as if the caller asked for one that does not exist */
export function requireVisible(definition: DefinitionRecord, rights: LabRights): DefinitionRecord {
  const { type, name } = definition;
  if (isVisible(definition, rights)) return definition;
  throw new ServiceError('not_found', `the packages define no ${type} "${name}"`);
}
