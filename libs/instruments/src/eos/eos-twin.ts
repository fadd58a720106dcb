import { setTimeout as pause } from 'node:timers/promises';
import type { JsonValue } from '@lab/sdk';
import type { FunctionChanges, Link, LinkAnswer, LinkRequest } from '../nodes/index.js';

/**
 * A device of EOS that exists only in the process of the device. Each function does what its `twin` in `functions` says. It
 * answers the requests that EOS answers, so everything but the network is the same.
 */
export class EosTwin implements Link {
  constructor(
    private readonly lab: string,
    private readonly device: string,
    private readonly functions: FunctionChanges,
  ) {}

  async ask({ path }: LinkRequest): Promise<LinkAnswer> {
    const [, , area = '', , , name = ''] = path.split('/').map(decodeURIComponent);
    if (path === '/api/labs/devices') return answer(200, { [this.lab]: { [this.device]: { type: 'twin' } } });
    if (area === 'labs') return answer(200, { simulated: true });
    const twin = this.functions[name]?.twin;
    if (twin !== undefined) await pause(twin.takes * 1000);
    if (!Object.hasOwn(this.functions, name) || twin?.fails !== undefined)
      return answer(500, { error: twin?.fails ?? `the twin has no function ${name}` });
    return answer(201, twin?.result ?? null);
  }
}

const answer = (status: number, value: JsonValue): LinkAnswer => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
});
