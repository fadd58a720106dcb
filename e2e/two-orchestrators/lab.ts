import { afterAll, beforeAll } from 'vitest';
import { startLab, type Lab } from '../lab.js';

/** The stack of all tests in this folder. Each leaves all processes of the stack running or in restart. */
export let lab: Lab;

beforeAll(async () => {
  lab = await startLab(['multiplication_lab'], { env: { SVC_ORCHESTRATORS: '2' } });
});
afterAll(() => lab?.stack.dispose());
