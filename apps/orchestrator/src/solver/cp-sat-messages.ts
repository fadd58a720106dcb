import type { ExactAnswer, ExactRequest, Problem } from '@lab/scheduling';

/** To the process: what to solve; one problem at a time. */
export interface SolveOrder {
  id: number;
  problem: Problem;
  request: ExactRequest;
}

/** From the process. The first is `ready` or `unavailable`; every order is answered once. */
export type SolverNews =
  | { type: 'ready' }
  /** It cannot solve, and nobody need try again. */
  | { type: 'unavailable'; reason: string }
  | {
      type: 'answer';
      id: number;
      answer: ExactAnswer;
      /** Why the answer is of no use; null when nothing is wrong with it. */
      fault: string | null;
      /** What the process takes by now, in bytes. */
      memory: number;
    };
