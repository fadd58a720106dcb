import { parse } from 'smol-toml';
import { z } from 'zod';
import type { PythonLock } from './lock.js';
import { normalizedName } from './wheels.js';

/** The file in a package that names the libraries that its code in Python needs. */
export const projectFile = 'pyproject.toml';

const shape = z.object({
  project: z
    .object({
      'requires-python': z.string().optional(),
      dependencies: z.array(z.string()).optional(),
    })
    .optional(),
});

/** What a `pyproject.toml` says about libraries. */
export interface PythonProject {
  requiresPython: string | null;
  /** As they are written, such as `numpy>=1.26`. */
  dependencies: string[];
}

/** @throws Error in one sentence when the text is no TOML, or has something else at these places */
export function readProject(text: string): PythonProject {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new Error(`it is no TOML: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
  const { data, error } = shape.safeParse(content);
  if (data === undefined) {
    const [issue] = error.issues;
    throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { dependencies = [], 'requires-python': requiresPython = null } = data.project ?? {};
  return { dependencies, requiresPython };
}

/** How a requirement is compared and stored: without spaces. */
const plain = (requirement: string): string => requirement.replace(/\s+/g, ' ').trim();

/** What a project demands, sorted, as a lock notes it. */
export const requirementsOf = ({ dependencies }: PythonProject): string[] => dependencies.map(plain).sort();

/** The normalized name of the library that a requirement names. */
export const libraryOf = (requirement: string): string =>
  normalizedName(/^\s*([A-Za-z0-9._-]+)/.exec(requirement)?.[1] ?? '');

/**
 * How a project differs from its lock, in words.
 *
 * @returns undefined: the lock has all that the project demands
 */
export function differenceFrom(lock: PythonLock, project: PythonProject): string | undefined {
  const now = requirementsOf(project);
  if (lock.made === null) {
    // The lock of another tool does not say what was demanded.
    const missing = now.filter((each) => !lock.libraries.some(({ name }) => name === libraryOf(each)));
    return missing.length === 0 ? undefined : `the lock does not have ${missing.join(', ')}`;
  }
  const before = lock.made.requirements;
  const added = now.filter((each) => !before.includes(each));
  const removed = before.filter((each) => !now.includes(each));
  const parts = [
    ...(added.length === 0 ? [] : [`added since the lock: ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`removed since the lock: ${removed.join(', ')}`]),
    ...(lock.requiresPython === project.requiresPython
      ? []
      : [
          `locked for Python ${lock.requiresPython ?? '(any)'}, and it demands ${project.requiresPython ?? '(any)'}`,
        ]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}
