import { ServiceError, type DeviceFunction, type Principal } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { AuditRecorder } from '../../src/audit/audit-recorder.js';
import { CallPermit } from '../../src/devices/call-permit.js';
import { MemoryAudit } from '../memory-access.js';

const local: Principal = { name: 'local', kind: 'local', grants: [{ role: 'admin' }] };
const ann: Principal = { name: 'ann', kind: 'token', grants: [{ role: 'operator' }] };
const unlock: DeviceFunction = {
  ...{ name: 'unlock', kind: 'effect' },
  parameters: { code: { type: 'str', secret: true }, door: { type: 'str' } },
};
const request = { method: 'POST', url: '/api/rpc/l/safe/unlock', id: 'r', ip: '127.0.0.1' } as FastifyRequest;
const call = { function: 'unlock', arguments: { code: '1234', door: 'left' } };
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let audit: MemoryAudit;
const permit = (caller: Principal, force: boolean, needReason = true) =>
  new CallPermit(new AuditRecorder(audit, log), { needReason }).of(request, caller, call, {
    force,
    reason: force ? 'it leaks' : '',
    by: undefined,
  });

beforeEach(() => {
  audit = new MemoryAudit();
});

describe('a call of a device that a task has', () => {
  it.each([local, ann])('needs a reason from $kind', async (caller) => {
    const refused = permit(caller, false)?.admit('mix_1/carry', unlock);
    await expect(refused).rejects.toMatchObject({ code: 'device_in_use' } satisfies Partial<ServiceError>);
    expect(audit.entries).toEqual([]);
    await permit(caller, true)?.admit('mix_1/carry', unlock);
    expect(audit.entries).toMatchObject([
      { action: 'device.call.forced', detail: { held_by: 'mix_1/carry', reason: 'it leaks' } },
    ]);
  });

  it('needs none if the configuration allows it', async () => {
    expect(permit(local, false, false)).toBeUndefined();
    await permit(ann, false, false)?.admit('mix_1/carry', unlock);
    expect(audit.entries).toMatchObject([{ detail: { held_by: 'mix_1/carry' } }]);
  });
});

it('the audit of a call names the person whom the request names, if nobody checks who calls', async () => {
  const named = { ...request, url: `${request.url}?force=true&by=bob` } as FastifyRequest;
  const permits = new CallPermit(new AuditRecorder(audit, log), { needReason: true });
  for (const caller of [local, ann])
    await permits
      .of(named, caller, call, { force: true, reason: 'it leaks', by: 'bob' })
      ?.admit('mix_1/carry', unlock);
  expect(audit.entries).toMatchObject([
    { by: 'bob', kind: 'local' },
    { by: 'ann', kind: 'token' },
  ]);
});

it('the audit of a call has no secret value', async () => {
  await permit(ann, false)?.admit(undefined, unlock);
  expect(audit.entries[0]?.detail['arguments']).toEqual({ code: '***', door: 'left' });
});

it('the audit of a call has no value at all while the function is not known', async () => {
  await permit(ann, false)?.admit(undefined, undefined);
  expect(audit.entries[0]?.detail['arguments']).toEqual({ code: '***', door: '***' });
});
