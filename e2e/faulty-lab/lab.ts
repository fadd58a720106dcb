import { afterAll, beforeAll } from 'vitest';
import { startFaultyLab, type Lab } from '../lab.js';

/** The stack of all tests in this folder. Each leaves its devices idle, the queue running, and no agent more. */
export let lab: Lab;

beforeAll(async () => {
  lab = await startFaultyLab();
  await lab.withAgent('bench_b');
});
afterAll(() => lab?.stack.dispose());
