import { describe, expect, it } from 'vitest';
import { dtoSchema } from '../../src/bodies.js';
import { CampaignSubmission, ProtocolRunSubmission, TaskSubmission } from '../../src/index.js';

const run = { name: 'mix_1', type: 'color_mixing' };
const campaign = { name: 'sweep', protocol: 'color_mixing', max_protocol_runs: 3 };
const task = { name: 'rinse', type: 'clean_beaker' };

function faults(schema: ReturnType<typeof dtoSchema>, body: unknown): string[] {
  const checked = schema.check(body);
  return checked.ok ? [] : checked.faults.map((fault) => `${fault.path}: ${fault.code}`);
}

describe('submissions', () => {
  it.each([
    ['run', ProtocolRunSubmission, run],
    ['campaign', CampaignSubmission, campaign],
    ['task', TaskSubmission, task],
  ])('a %s needs only its required fields', (_, dto, body) => {
    expect(faults(dtoSchema<object>(dto), body)).toEqual([]);
  });

  it.each([
    ['unknown field', { ...run, colour: 1 }, 'colour: unknown_field'],
    ['missing name', { type: 'x' }, 'name: missing_field'],
    ['control character in the name', { ...run, name: 'a\u0000b' }, 'name: isWellFormedName'],
    ['lone surrogate in the name', { ...run, name: 'a\ud800' }, 'name: isWellFormedName'],
    ['fractional priority', { ...run, priority: 1.5 }, 'priority: isInt'],
    ['list as parameters', { ...run, parameters: [] }, 'parameters: isMapOf'],
    ['parameters not by task', { ...run, parameters: { volume: 1 } }, 'parameters: isMapOf'],
  ])('a protocol run with %s is refused at its path', (_, body, fault) => {
    expect(faults(dtoSchema<object>(ProtocolRunSubmission), body)).toContain(fault);
  });

  it('lists every fault of a body', () => {
    const found = faults(dtoSchema<object>(CampaignSubmission), {
      name: '',
      protocol: 3,
      max_protocol_runs: -1,
      optimizer_ip: 'nowhere',
      extra: true,
    });
    expect(found.map((fault) => fault.split(':')[0])).toEqual(
      expect.arrayContaining(['name', 'protocol', 'max_protocol_runs', 'optimizer_ip', 'extra']),
    );
  });

  it('a device of a task contains only lab and name', () => {
    const schema = dtoSchema<object>(TaskSubmission);
    expect(faults(schema, { ...task, devices: { arm: { lab_name: 'l', name: 'd' } } })).toEqual([]);
    expect(faults(schema, { ...task, devices: { arm: { lab_name: 'l' } } })).toEqual(['devices: isMapOf']);
    expect(faults(schema, { ...task, devices: { arm: { lab_name: 'l', name: 'd', x: 1 } } })).toEqual([
      'devices: isMapOf',
    ]);
  });

  it.each([
    ['input_parameters', TaskSubmission, (value: object) => ({ ...task, input_parameters: value })],
    ['meta', TaskSubmission, (value: object) => ({ ...task, meta: value })],
    ['parameters', ProtocolRunSubmission, (value: object) => ({ ...run, parameters: { a: {}, mix: value } })],
    [
      'global_parameters',
      CampaignSubmission,
      (value: object) => ({ ...campaign, global_parameters: { mix: value } }),
    ],
    [
      'protocol_run_parameters',
      CampaignSubmission,
      (value: object) => ({ ...campaign, protocol_run_parameters: [{}, { mix: value }] }),
    ],
  ])('%s of a task are at most 64 KiB as JSON, in bytes', (field, dto, bodyOf) => {
    const schema = dtoSchema<object>(dto);
    const frame = JSON.stringify({ a: '' }).length;
    for (const letter of ['x', 'ä', '語']) {
      const fits = Math.floor((65_536 - frame) / Buffer.byteLength(letter));
      expect(faults(schema, bodyOf({ a: letter.repeat(fits) }))).toEqual([]);
      expect(faults(schema, bodyOf({ a: letter.repeat(fits + 1) }))).toEqual([`${field}: isInline`]);
    }
  });

  it.each([null, 1, 'x', [], undefined])('%j is not a submission', (body) => {
    expect(faults(dtoSchema<object>(TaskSubmission), body)).toEqual([': type']);
  });
});
