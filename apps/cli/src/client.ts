import {
  longestPage,
  type AttentionRecord,
  type AttentionResolution,
  type AttentionState,
  type CampaignRecord,
  type CampaignSubmission,
  type DefinitionSummary,
  type DefinitionType,
  type DeviceRecord,
  type EmergencyStopRecord,
  type EmergencyStopRelease,
  type EmergencyStopRequest,
  type LabChange,
  type LabRecord,
  type OptimizerDescription,
  type PackageRecord,
  type Page,
  type Problem,
  type ProtocolChange,
  type ProtocolRunRecord,
  type ProtocolRunSummary,
  type QueueRecord,
  type ScheduleRecord,
  type TaskRunRecord,
  type TaskRunState,
  type TaskTypeChange,
} from '@lab/contracts';

/** A campaign with all that belongs to it. */
export interface CampaignWithRuns extends CampaignRecord {
  protocol_runs: ProtocolRunRecord[];
}

/** The service answered with a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(readonly problem: Problem) {
    const faults = problem.errors?.map((fault) => `\n  ${fault.path}: ${fault.message}`).join('') ?? '';
    super(`${problem.title}: ${problem.detail}${faults}`);
  }
}

/** How long an answer may take, in milliseconds. */
const usualMs = 15_000;
/** When devices are started first, or an optimizer is made. */
const startingMs = 130_000;

/** The REST interface, as far as the command line uses it. */
export class Client {
  /** @param baseUrl address of the service, for example `http://127.0.0.1:8070` */
  constructor(private readonly baseUrl: string) {}

  submitCampaign(submission: CampaignSubmission): Promise<CampaignRecord> {
    return this.call('POST', '/api/campaigns', submission, startingMs);
  }

  /** What the optimizer of a protocol is before anything is said about it; it is made and dropped for the answer. */
  optimizerDefaults(protocol: string): Promise<OptimizerDescription> {
    const path = `/api/protocols/${encodeURIComponent(protocol)}/optimizer/defaults`;
    return this.call('GET', path, undefined, startingMs);
  }

  /** With its runs and their tasks, in the order of their creation. */
  async campaign(name: string): Promise<CampaignWithRuns> {
    const path = encodeURIComponent(name);
    const [campaign, runs, tasks] = await Promise.all([
      this.call<CampaignRecord>('GET', `/api/campaigns/${path}`),
      this.all<ProtocolRunSummary>(`/api/campaigns/${path}/runs`),
      this.all<TaskRunRecord>('/api/tasks', { campaign: name, sort: 'created_at' }),
    ]);
    return {
      ...campaign,
      protocol_runs: runs.map((run) => ({
        ...run,
        tasks: tasks.filter((task) => task.protocol_run === run.name),
      })),
    };
  }

  /** @param kind what has the name */
  pauseOrResume(
    kind: 'protocol' | 'campaign',
    name: string,
    verb: 'pause' | 'resume',
    by: string,
  ): Promise<ProtocolRunRecord | CampaignRecord> {
    return this.call('POST', `/api/${kind}s/${encodeURIComponent(name)}/${verb}`, { by });
  }

  /** Tasks in that state, newest first, at most 500. @param limitMs how long the answer may take, in milliseconds */
  async tasks(state: TaskRunState, limitMs = usualMs): Promise<TaskRunRecord[]> {
    const path = `/api/tasks?state=${state}&limit=${longestPage}`;
    return (await this.call<Page<TaskRunRecord>>('GET', path, undefined, limitMs)).items;
  }

  queue(): Promise<QueueRecord> {
    return this.call('GET', '/api/queue');
  }

  pauseOrResumeQueue(verb: 'pause' | 'resume', by: string): Promise<QueueRecord> {
    return this.call('POST', `/api/queue/${verb}`, { by });
  }

  /** @param part which part of it, as the query of the address */
  schedule(part: URLSearchParams): Promise<ScheduleRecord> {
    return this.call('GET', `/api/schedule?${part}`);
  }

  /** Newest first. @param state undefined: open and resolved ones */
  attention(state?: AttentionState): Promise<AttentionRecord[]> {
    return this.all('/api/attention', state === undefined ? {} : { state });
  }

  attentionItem(id: string): Promise<AttentionRecord> {
    return this.call('GET', `/api/attention/${encodeURIComponent(id)}`);
  }

  resolveAttention(id: string, resolution: AttentionResolution): Promise<AttentionRecord> {
    return this.call('POST', `/api/attention/${encodeURIComponent(id)}/resolve`, resolution);
  }

  /** Newest first. @param all also those that are released */
  emergencyStops(all: boolean): Promise<EmergencyStopRecord[]> {
    return this.all('/api/estop', { all: String(all) });
  }

  emergencyStop(request: EmergencyStopRequest): Promise<EmergencyStopRecord> {
    return this.call('POST', '/api/estop', request);
  }

  releaseEmergencyStop(release: EmergencyStopRelease): Promise<EmergencyStopRecord[]> {
    return this.call('POST', '/api/estop/release', release);
  }

  devices(): Promise<DeviceRecord[]> {
    return this.all('/api/devices');
  }

  labs(): Promise<LabRecord[]> {
    return this.all('/api/labs');
  }

  /** Resolves when the devices of loaded and reloaded laboratories are usable, or their computers away. */
  changeLabs(what: 'load' | 'unload' | 'reload', names: string[], drain: boolean): Promise<LabChange[]> {
    return this.call('POST', `/api/labs/${what}`, { lab_types: names, drain }, startingMs);
  }

  changeProtocols(
    what: 'load' | 'unload' | 'reload',
    types: string[],
    drain: boolean,
  ): Promise<ProtocolChange[]> {
    return this.call('POST', `/api/protocols/${what}`, { protocol_types: types, drain }, startingMs);
  }

  reloadTasks(types: string[]): Promise<TaskTypeChange[]> {
    return this.call('POST', '/api/tasks/reload', { task_types: types }, startingMs);
  }

  refreshPackages(): Promise<PackageRecord[]> {
    return this.call('POST', '/api/packages/refresh', undefined, startingMs);
  }

  definitions(type: DefinitionType): Promise<DefinitionSummary[]> {
    return this.all('/api/definitions', { type });
  }

  /** Every record of a list, page by page. */
  private async all<T>(path: string, filters: Record<string, string> = {}): Promise<T[]> {
    const query = new URLSearchParams({ ...filters, limit: String(longestPage) });
    const found: T[] = [];
    for (;;) {
      const page: Page<T> = await this.call('GET', `${path}?${query}`);
      found.push(...page.items);
      if (page.next_cursor === null) return found;
      query.set('cursor', page.next_cursor);
    }
  }

  /**
   * @throws ProblemError when the service answers with a problem
   * @throws TypeError when nothing answers at the address
   */
  private async call<T>(method: string, path: string, body?: unknown, limitMs = usualMs): Promise<T> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(limitMs),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new ProblemError(answer as Problem);
    return answer as T;
  }
}
