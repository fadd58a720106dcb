import { z } from 'zod';

/** Parts of which the schemas of `config.yml` are made, with their messages. */

export const name = z.string('must be a name').min(1, 'must not be empty');

/** A number of seconds, fractions allowed. */
export const span = (least: number, most: number, fallback: number) =>
  z
    .number(`must be a number of seconds from ${least} to ${most}`)
    .min(least, `must be at least ${least} seconds`)
    .max(most, `must be at most ${most} seconds`)
    .default(fallback);

export const whole = (least: number, most: number) =>
  z
    .number(`must be a whole number from ${least} to ${most}`)
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

export const count = (least: number, most: number, fallback: number) => whole(least, most).default(fallback);

/** A mapping with exactly these keys. */
export const mapping = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, 'must be a mapping');
