import type { WorkKind } from '@lab/contracts';
import { pathName, ProtocolRunName } from './path.js';

/** Where work stands that belongs to no other work, by its kind: address, group and words of its routes. */
export const workRoutes = {
  campaign: { tag: 'Campaigns', path: 'campaigns/:campaign_name', of: 'campaign', words: 'a campaign' },
  protocol_run: {
    tag: 'Protocol runs',
    path: 'protocols/:protocol_run_name',
    of: 'protocol_run',
    words: 'a protocol run',
  },
  task_run: { tag: 'Tasks', path: 'tasks/:task_name', of: 'task', words: 'an on-demand task' },
} as const satisfies Record<WorkKind, object>;

export const OnDemandTaskName = pathName('task_name', 'on-demand task', {
  description: 'Name of the on-demand task. The latest task of that name is meant.',
  example: 'rinse_1',
});

/** Name of a run that belongs to no campaign. */
export const OwnRunName = (): ParameterDecorator =>
  ProtocolRunName({ description: 'Name of a protocol run that belongs to no campaign.' });
