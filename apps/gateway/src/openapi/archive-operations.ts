import { inPath, json, ref, type Description } from './description.js';
import { note, ofRecord } from './operating-operations.js';

const taskName = inPath(
  'task_name',
  'Name of the on-demand task; the latest one of that name is meant.',
  'rinse_1',
);
const runName = inPath('protocol_run_name', 'Name of a protocol run that belongs to no campaign.', 'mix_1');
const campaignName = inPath('campaign_name', 'Name of the campaign.', 'sweep');

const archiving =
  'Only what is over. It is read by its name as before, with `archived_at`, and its name stays taken; lists have it with `archived=true` or `archived=all`. To be resumed it is restored first.';
const restoring = 'It is in the lists again, as if it had never been archived.';

/** Operations by which work that is over leaves the lists and comes back, by method and path. */
export const archiveOperations: Record<string, Description> = {
  'POST /api/campaigns/{campaign_name}/archive': {
    tag: 'Campaigns',
    summary: 'Archive a campaign',
    description: `${archiving} Its runs, their tasks, attempts and files go with it.`,
    parameters: [campaignName],
    body: note,
    success: { status: 200, description: 'It is archived.', content: json(ref('CampaignRecord')) },
    problems: ofRecord,
  },
  'POST /api/campaigns/{campaign_name}/restore': {
    tag: 'Campaigns',
    summary: 'Restore a campaign from the archive',
    description: restoring,
    parameters: [campaignName],
    body: note,
    success: { status: 200, description: 'It is restored.', content: json(ref('CampaignRecord')) },
    problems: ofRecord,
  },
  'POST /api/protocols/{protocol_run_name}/archive': {
    tag: 'Protocol runs',
    summary: 'Archive a protocol run',
    description: `${archiving} Its tasks, attempts and files go with it. A run of a campaign goes with the campaign.`,
    parameters: [runName],
    body: note,
    success: { status: 200, description: 'It is archived.', content: json(ref('ProtocolRunRecord')) },
    problems: ofRecord,
  },
  'POST /api/protocols/{protocol_run_name}/restore': {
    tag: 'Protocol runs',
    summary: 'Restore a protocol run from the archive',
    description: restoring,
    parameters: [runName],
    body: note,
    success: { status: 200, description: 'It is restored.', content: json(ref('ProtocolRunRecord')) },
    problems: ofRecord,
  },
  'POST /api/tasks/{task_name}/archive': {
    tag: 'Tasks',
    summary: 'Archive an on-demand task',
    description: `${archiving} Its attempts and files go with it. A task of a protocol run goes with the run.`,
    parameters: [taskName],
    body: note,
    success: { status: 200, description: 'It is archived.', content: json(ref('TaskRunRecord')) },
    problems: ofRecord,
  },
  'POST /api/tasks/{task_name}/restore': {
    tag: 'Tasks',
    summary: 'Restore an on-demand task from the archive',
    description: restoring,
    parameters: [taskName],
    body: note,
    success: { status: 200, description: 'It is restored.', content: json(ref('TaskRunRecord')) },
    problems: ofRecord,
  },
};
