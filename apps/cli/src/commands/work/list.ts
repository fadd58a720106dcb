import type { AnswerOf, ApiClient, OperationOf, PathOf } from '@lab/api-client';
import { Argument, type Command } from 'commander';
import { atService, json, seconds, table, withJson, withUrl, type ServiceFlags } from '../at-service.js';

interface ListFlags extends ServiceFlags {
  state?: string;
  archived?: boolean;
  limit?: string;
}

type Record<P extends PathOf<'get'>> =
  AnswerOf<OperationOf<'get', P>> extends { items: (infer T)[] } ? T : never;

interface Listing {
  header: string[];
  /** Fetches the records. */
  fetch(client: ApiClient, query: object): Promise<unknown[]>;
  row(record: unknown): string[];
}

function listing<P extends '/api/tasks' | '/api/protocols' | '/api/campaigns' | '/api/devices'>(
  path: P,
  columns: { [header: string]: (record: Record<P>) => string },
): Listing {
  return {
    header: Object.keys(columns),
    fetch: async (client, query) =>
      ((await client.get(path, { query } as never)) as { items: unknown[] }).items,
    row: (record) => Object.values(columns).map((column) => column(record as Record<P>)),
  };
}

const time = (iso: string | null): string => (iso === null ? '-' : seconds(iso));

const listings = {
  tasks: listing('/api/tasks', {
    NAME: ({ name }) => name,
    RUN: (task) => task.protocol_run ?? '-',
    TYPE: ({ type }) => type,
    STATE: ({ state }) => state,
    OWNER: ({ owner }) => owner,
    CREATED: (task) => time(task.created_at),
    ENDED: (task) => time(task.ended_at),
    REASON: ({ reason }) => reason?.code ?? '',
  }),
  protocols: listing('/api/protocols', {
    NAME: ({ name }) => name,
    TYPE: ({ type }) => type,
    STATE: (run) => (run.paused_at === null ? run.state : `${run.state} (paused)`),
    OWNER: ({ owner }) => owner,
    CAMPAIGN: ({ campaign }) => campaign ?? '-',
    CREATED: (run) => time(run.created_at),
    ENDED: (run) => time(run.ended_at),
    REASON: ({ reason }) => reason?.code ?? '',
  }),
  campaigns: listing('/api/campaigns', {
    NAME: ({ name }) => name,
    PROTOCOL: ({ protocol }) => protocol,
    STATE: (campaign) => (campaign.paused_at === null ? campaign.state : `${campaign.state} (paused)`),
    OWNER: ({ owner }) => owner,
    RUNS: (campaign) => `${campaign.protocol_runs_completed}/${campaign.max_protocol_runs || '-'}`,
    CREATED: (campaign) => time(campaign.created_at),
    ENDED: (campaign) => time(campaign.ended_at),
    REASON: ({ reason }) => reason?.code ?? '',
  }),
  devices: listing('/api/devices', {
    DEVICE: (device) => `${device.lab_name}.${device.name}`,
    TYPE: ({ type }) => type,
    STATE: ({ state }) => state,
    COMPUTER: ({ computer }) => computer,
    'HELD BY': (device) => device.held_by ?? '-',
    DETAIL: (device) => device.halted ?? device.detail ?? '',
  }),
};

/** `svc list`. */
export function addListCommand(program: Command): void {
  withJson(withUrl(program.command('list')))
    .description('list records, newest first')
    .addArgument(new Argument('<kind>', 'which records').choices(Object.keys(listings)))
    .option('--state <state>', 'only records in this state')
    .option('--archived', 'only archived records; devices are never archived')
    .option('--limit <count>', 'most records, 1 to 500 (default 100)')
    .action((kind: keyof typeof listings, flags: ListFlags) =>
      atService(flags, async (client) => {
        const { header, fetch, row } = listings[kind];
        const archived = flags.archived === true ? { archived: 'true' } : {};
        const records = await fetch(client, { state: flags.state, limit: flags.limit, ...archived });
        if (flags.json === true) return json(records);
        return records.length === 0 ? [`no ${kind}`] : table([header, ...records.map(row)]);
      }),
    );
}
