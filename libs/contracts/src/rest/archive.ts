/** What is archived by itself; whatever belongs to it goes with it. */
export const workKinds = ['campaign', 'protocol_run', 'task_run'] as const;

/** A campaign, a protocol run of no campaign, or an on-demand task. */
export type WorkKind = (typeof workKinds)[number];

/** What people call a piece of work of each kind. */
export const workWords: Readonly<Record<WorkKind, string>> = {
  campaign: 'campaign',
  protocol_run: 'protocol run',
  task_run: 'on-demand task',
};
