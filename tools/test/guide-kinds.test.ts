import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { eos } from '../../apps/cli/src/pkg/kinds/eos.js';
import { madsci } from '../../apps/cli/src/pkg/kinds/madsci.js';
import { opentrons } from '../../apps/cli/src/pkg/kinds/opentrons.js';
import { guideFiles } from './guide-blocks.js';

/** The device types that `svc pkg add device --kind` writes are those of the guide page about other systems. */

describe.each([
  { kind: madsci, type: 'madsci_node', className: 'MadsciNodeDevice' },
  { kind: opentrons, type: 'opentrons_robot', className: 'OpentronsRobotDevice' },
  { kind: eos, type: 'eos_instrument', className: 'EosInstrumentDevice' },
])('the kind $kind.name', ({ kind, type, className }) => {
  const files = kind.files(type, className);
  const shown = (name: string): string =>
    (guideFiles.find(({ path }) => path === `other_demo/devices/${type}/${name}`)?.text ?? '')
      .split('\n')
      .slice(1)
      .join('\n');

  it('writes the class that the page shows', () => {
    expect(files[`devices/${type}/device.ts`]).toBe(shown('device.ts'));
  });

  it('writes the init parameters that the page shows', () => {
    const written = load(files[`devices/${type}/device.yml`] ?? '') as object;
    expect(written).toEqual(load(shown('device.yml')));
  });

  it('makes a device in a lab a twin, until somebody connects it', () => {
    const lines = kind.inLab.filter((line) => !line.startsWith('#')).join('\n');
    expect(load(lines)).toMatchObject({ simulate: true });
  });
});
