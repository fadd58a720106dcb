import type {
  CampaignRecord,
  CampaignSubmission,
  DeviceRecord,
  Problem,
  ProtocolRunRecord,
  TaskRunRecord,
} from '@lab/contracts';

/** The service answered with a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(readonly problem: Problem) {
    const faults = problem.errors?.map((fault) => `\n  ${fault.path}: ${fault.message}`).join('') ?? '';
    super(`${problem.title}: ${problem.detail}${faults}`);
  }
}

/** The REST interface, as far as the command line uses it. */
export class Client {
  /** @param baseUrl address of the service, for example `http://127.0.0.1:8070` */
  constructor(private readonly baseUrl: string) {}

  submitCampaign(submission: CampaignSubmission): Promise<CampaignRecord> {
    return this.call('POST', '/api/campaigns', submission);
  }

  campaign(name: string): Promise<CampaignRecord> {
    return this.call('GET', `/api/campaigns/${encodeURIComponent(name)}`);
  }

  protocolRun(name: string): Promise<ProtocolRunRecord> {
    return this.call('GET', `/api/protocols/${encodeURIComponent(name)}`);
  }

  task(name: string): Promise<TaskRunRecord> {
    return this.call('GET', `/api/tasks/${encodeURIComponent(name)}`);
  }

  devices(): Promise<DeviceRecord[]> {
    return this.call('GET', '/api/devices');
  }

  /**
   * @throws ProblemError when the service answers with a problem
   * @throws TypeError when nothing answers at the address
   */
  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new ProblemError(answer as Problem);
    return answer as T;
  }
}
