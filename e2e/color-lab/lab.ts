import { afterAll, beforeAll } from 'vitest';
import { startLab, type Lab } from '../lab.js';

/** The stack of all tests in this folder. Each leaves its devices idle. */
export let lab: Lab;

beforeAll(async () => {
  lab = await startLab(['color_lab']);
});
afterAll(() => lab?.stack.dispose());
