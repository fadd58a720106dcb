import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { eos } from '../../apps/cli/src/pkg/kinds/eos.js';
import { madsci } from '../../apps/cli/src/pkg/kinds/madsci.js';
import { opentrons } from '../../apps/cli/src/pkg/kinds/opentrons.js';
import { sila } from '../../apps/cli/src/pkg/kinds/sila.js';
import { guideFiles } from './guide-blocks.js';

/** The device types that `svc pkg add device --kind` writes are those of the guide pages. */

describe.each([
  { kind: madsci, folder: 'other_demo', type: 'madsci_node', className: 'MadsciNodeDevice' },
  { kind: opentrons, folder: 'other_demo', type: 'opentrons_robot', className: 'OpentronsRobotDevice' },
  { kind: eos, folder: 'other_demo', type: 'eos_instrument', className: 'EosInstrumentDevice' },
  { kind: sila, folder: 'sila_demo', type: 'sila_server', className: 'SilaServerDevice' },
])('the kind $kind.name', ({ kind, folder, type, className }) => {
  const files = kind.files(type, className);
  const shown = (name: string): string =>
    (guideFiles.find(({ path }) => path === `${folder}/devices/${type}/${name}`)?.text ?? '')
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

  // A server of SiLA 2 says itself whether it simulates.
  const inLab = load(kind.inLab.filter((line) => !line.startsWith('#')).join('\n'));
  if (kind === sila)
    it('makes a device in a lab that cannot be used before it has an address', () => {
      expect(inLab).toEqual({ address: '' });
    });
  else
    it('makes a device in a lab a twin, until somebody connects it', () => {
      expect(inLab).toMatchObject({ simulate: true });
    });
});
