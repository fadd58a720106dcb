import type { ExactAnswer, ExactRequest, Problem } from '@lab/scheduling';

/** An order to the process: a problem to solve. One at a time. */
export interface SolveOrder {
  id: number;
  problem: Problem;
  request: ExactRequest;
}

/** A message of the process. The first is `ready` or `unavailable`; every order gets one answer. */
export type SolverNews =
  | { type: 'ready' }
  /** True when it cannot solve and a further process could not either. */
  | { type: 'unavailable'; reason: string }
  | {
      type: 'answer';
      id: number;
      answer: ExactAnswer;
      /** Why the answer is unusable; null: it is usable. */
      fault: string | null;
      /** Memory of the process, in bytes. */
      memory: number;
    };
