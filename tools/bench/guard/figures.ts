/** What the guard compares. Each figure is a cost of the service over a cost of its floor, so that less is better. */

export const figures = {
  query: { what: 'query of a device over HTTP, one at a time', floor: 'bare chain', unit: 'ms' },
  query_processor: { what: 'processor time of a query', floor: 'bare chain', unit: 'ms' },
  effect: { what: 'effect of a device over HTTP', floor: 'bare chain, durable', unit: 'ms' },
  submission: {
    what: 'POST /api/tasks to its answer',
    floor: 'one commit, 8 calls of the bare chain',
    unit: 'ms',
  },
  first_call: {
    what: 'POST /api/tasks to the first device call',
    floor: 'one commit, bare chain, durable, 8 calls of it',
    unit: 'ms',
  },
  next_call: {
    what: 'end of a task to the device call of the next',
    floor: 'one commit, bare chain, durable, 8 calls of it',
    unit: 'ms',
  },
  task_processor: {
    what: 'processor time of a reusable task',
    floor: 'one commit, bare chain, durable, 8 calls of it',
    unit: 'ms',
  },
  task_call: { what: 'effect, called by a task', floor: 'bare chain, durable', unit: 'ms' },
  far_call: {
    what: 'effect on another computer, called by a task',
    floor: 'bare chain, durable',
    unit: 'ms',
  },
  first_plan: { what: 'first plan of 100 tasks (processor time)', floor: 'a fixed computation', unit: 'ms' },
  start: { what: 'warm start of the stack (processor time)', floor: 'loading the compiler', unit: 'ms' },
  memory: { what: 'private memory of the idle stack', floor: 'an idle node process', unit: 'MB' },
} as const;

export type Figure = keyof typeof figures;

export const figureNames = Object.keys(figures) as Figure[];
