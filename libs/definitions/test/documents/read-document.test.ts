import { SimulationScenario } from '@lab/contracts';
import { dtoSchema } from '@lab/contracts/bodies';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/documents/read-document.js';

const read = (text: string) => readDocument('day.yml', text, dtoSchema(SimulationScenario));
const faults = (text: string): string[] => {
  const result = read(text);
  return result.ok
    ? []
    : result.diagnostics.map(({ line, column, path, code, hint }) =>
        [`${line ?? ''}:${column ?? ''}`, path, code, hint].filter(Boolean).join(' '),
      );
};

describe('a document with a required shape', () => {
  it('is read together with its templates', () => {
    const result = read(
      'protocols:\n{{#each (range 1 4)}}\n  - { type: p, iterations: {{this}} }\n{{/each}}\n',
    );
    expect(result).toMatchObject({ ok: true, value: { protocols: [{ iterations: 1 }, {}, {}] } });
    const later = result.ok ? result.diagnose([{ path: 'protocols[2].type', code: 'c', message: 'm' }]) : [];
    expect(later).toMatchObject([{ file: 'day.yml', line: 3, code: 'c' }]);
  });

  it('is refused with the line of every fault and a correction', () => {
    const text = ['jitter: 0.1', 'protocols:', '  - type: p', '    iteration: 3', '  - type: 7', 'sead: 1'];
    const found = faults(text.join('\n'));
    expect(found[0]).toMatch(/^4:5 protocols\[0\]\.iteration unknown_field fields here: .*iterations/);
    expect(found[1]).toMatch(/^5:11 protocols\[1\]\.type /);
    expect(found).toHaveLength(3);
    expect(found[2]).toMatch(/^6:1 sead unknown_field fields here: .*seed/);
  });

  it('is refused when it is not a mapping, not YAML or too large', () => {
    expect(faults('- a')[0]).toContain('type');
    expect(faults('a: [')[0]).toContain('yaml_syntax');
    expect(faults(`# ${'x'.repeat(300_000)}`)[0]).toContain('file_too_large');
  });
});
