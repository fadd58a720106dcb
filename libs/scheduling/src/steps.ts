/** Work that can be interrupted: each step takes milliseconds, and other work between two steps does not affect it. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all steps at once. */
export function allOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
