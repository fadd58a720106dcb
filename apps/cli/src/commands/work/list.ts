import type { AnswerOf, ApiClient, OperationOf, PathOf } from '@lab/api-client';
import { Argument, type Command } from 'commander';
import { atService, json, seconds, serviceCommand, tableOf, type ServiceFlags } from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { outageText } from '../operating/devices.js';

interface ListFlags extends ServiceFlags {
  state?: string;
  archived?: boolean;
  device?: string;
  limit?: string;
}

type Record<P extends PathOf<'get'>> =
  AnswerOf<OperationOf<'get', P>> extends { items: (infer T)[] } ? T : never;

interface Listing {
  /** Fetches the records. */
  fetch(client: ApiClient, query: object): Promise<unknown[]>;
  lines(records: unknown[]): string[];
}

function listing<P extends '/api/tasks' | '/api/protocols' | '/api/campaigns' | '/api/devices'>(
  path: P,
  columns: { [header: string]: (record: Record<P>) => string },
): Listing {
  return {
    fetch: async (client, query) =>
      ((await client.get(path, { query } as never)) as { items: unknown[] }).items,
    lines: tableOf(`no ${path.slice('/api/'.length)}`, columns) as Listing['lines'],
  };
}

const listings = {
  tasks: listing('/api/tasks', {
    NAME: ({ name }) => name,
    RUN: (task) => task.protocol_run ?? '-',
    TYPE: ({ type }) => type,
    STATE: ({ state }) => state,
    OWNER: ({ owner }) => owner,
    CREATED: (task) => seconds(task.created_at),
    ENDED: (task) => seconds(task.ended_at),
    REASON: ({ reason }) => reason?.code ?? '',
  }),
  protocols: listing('/api/protocols', {
    NAME: ({ name }) => name,
    TYPE: ({ type }) => type,
    STATE: (run) => (run.paused_at === null ? run.state : `${run.state} (paused)`),
    OWNER: ({ owner }) => owner,
    CAMPAIGN: ({ campaign }) => campaign ?? '-',
    CREATED: (run) => seconds(run.created_at),
    ENDED: (run) => seconds(run.ended_at),
    REASON: ({ reason }) => reason?.code ?? '',
  }),
  campaigns: listing('/api/campaigns', {
    NAME: ({ name }) => name,
    PROTOCOL: ({ protocol }) => protocol,
    STATE: (campaign) => (campaign.paused_at === null ? campaign.state : `${campaign.state} (paused)`),
    OWNER: ({ owner }) => owner,
    RUNS: (campaign) => `${campaign.protocol_runs_completed}/${campaign.max_protocol_runs || '-'}`,
    CREATED: (campaign) => seconds(campaign.created_at),
    ENDED: (campaign) => seconds(campaign.ended_at),
    REASON: ({ reason }) => reason?.code ?? '',
  }),
  devices: listing('/api/devices', {
    DEVICE: (device) => `${device.lab_name}.${device.name}`,
    TYPE: ({ type }) => type,
    STATE: ({ state }) => state,
    COMPUTER: ({ computer }) => computer,
    'HELD BY': (device) => device.held_by ?? '-',
    DETAIL: (device) => device.halted ?? outageText(device) ?? device.detail ?? '',
  }),
};

/** `svc list`. */
export function addListCommand(program: Command): void {
  serviceCommand(program, 'list', 'list records, newest first')
    .addArgument(new Argument('<kind>', 'which records').choices(Object.keys(listings)))
    .option('--state <state>', 'only records in this state')
    .option('--device <lab.device>', 'of tasks: only those that got this device')
    .option('--archived', 'only archived records; devices are never archived')
    .option('--limit <count>', 'most records, 1 to 500 (default 100)')
    .action((kind: keyof typeof listings, flags: ListFlags) =>
      atService(flags, async (client) => {
        const archived = flags.archived === true ? { archived: 'true' } : {};
        if (flags.device !== undefined && kind !== 'tasks')
          throw new UsageError('--device selects tasks only');
        const { state, limit, device } = flags;
        const query = { state, limit, device, ...archived };
        const records = await listings[kind].fetch(client, query);
        return flags.json === true ? json(records) : listings[kind].lines(records);
      }),
    );
}
