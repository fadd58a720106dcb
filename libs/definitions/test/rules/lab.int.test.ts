import { describe, expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { soundPackage } from '../package-fixture.js';
import { asItStands, testRules } from './rule.js';

// The original rule that lab names are in lower case does not apply: names are compared as they are written.

const lab = 'demo/laboratories/lab/lab.yml';
const devices = /devices:[\s\S]*?(?=resource_types)/.exec(soundPackage[lab])![0];
const pc1 = 'pc1: {ip: 10.0.0.2}';

describe('a lab', () => {
  testRules(lab, [
    ['has a name', asItStands, ['name: lab\n', ''], '1:name missing_key'],
    ['has a description', ['A lab', 'The lab'], ['desc: A lab\n', ''], '1:desc missing_key'],
    [
      'has devices',
      ['  scale1:', '  scale2: {type: scale, computer: pc1}\n  scale1:'],
      [devices, ''],
      '1:devices missing_key',
    ],
    [
      'has devices whose instruments write into absolute folders',
      ['type: scale', String.raw`files: {folder: 'D:\Results', name: '^(?<id>.+)_'}, type: scale`],
      ['type: scale', 'files: {folder: results}, type: scale'],
      '11:devices.scale1.files.folder bad_folder',
    ],
    [
      'has patterns of files that stay below the folder',
      [
        'type: scale',
        String.raw`files: {folder: '\\nas\results', pattern: 'run_*/*.{csv,txt}'}, type: scale`,
      ],
      ['type: scale', `files: {folder: /in, pattern: '../*.csv'}, type: scale`],
      '11:devices.scale1.files.pattern bad_pattern',
    ],
    [
      'has names of files with one named group',
      ['type: scale', `files: {folder: /in, name: '(?<task>.+)'}, type: scale`],
      ['type: scale', `files: {folder: /in, name: '(?<a>.+)(?<b>.+)'}, type: scale`],
      '11:devices.scale1.files.name bad_name_pattern',
    ],
    [
      'moves files to a folder below',
      ['type: scale', `files: {folder: /in, afterwards: move, moved_to: done/csv}, type: scale`],
      ['type: scale', `files: {folder: /in, afterwards: move, moved_to: /done}, type: scale`],
      '11:devices.scale1.files.moved_to bad_folder',
    ],
    [
      'has known keys of folders only',
      ['type: scale', `files: {folder: /in, since: '2026-11-28T08:00:00Z'}, type: scale`],
      ['type: scale', `files: {folder: /in, patern: '*'}, type: scale`],
      '11:devices.scale1.files.patern unknown_key',
    ],
    [
      'has known keys only',
      asItStands,
      ['desc: A lab', 'desc: A lab\ncomputer: {}'],
      '3:computer unknown_key',
    ],
    ['has text for texts', ['A lab', '"5"'], ['desc: A lab', 'desc: 5'], '2:desc wrong_type'],
    [
      'has no key twice',
      ['  beaker2:', '  beaker3:'],
      ['  beaker2:', '  beaker1:'],
      '17:resources.beaker1 duplicate_key',
    ],
    [
      'has a name that is not reserved',
      ['  beaker2:', '  valueof:'],
      ['  beaker2:', '  valueOf:'],
      '17:resources.valueOf reserved_key',
    ],
  ]);
});

describe('a computer', () => {
  testRules(lab, [
    [
      'is not svc_computer',
      [pc1, `${pc1}\n  svc_computer2: {ip: 10.0.0.3}`],
      [pc1, `${pc1}\n  svc_computer: {ip: 10.0.0.3}`],
      '5:computers.svc_computer reserved_computer',
    ],
    [
      'does not have 127.0.0.1',
      ['10.0.0.2', '127.0.0.2'],
      ['10.0.0.2', '127.0.0.1'],
      '4:computers.pc1.ip reserved_ip',
    ],
    [
      'does not have ::1 in any form',
      ['10.0.0.2', '"::2"'],
      ['10.0.0.2', '"0:0:0:0:0:0:0:1"'],
      '4:computers.pc1.ip reserved_ip',
    ],
    [
      'does not have 127.0.0.1 within IPv6',
      ['10.0.0.2', '"::ffff:10.0.0.2"'],
      ['10.0.0.2', '"::ffff:127.0.0.1"'],
      '4:computers.pc1.ip reserved_ip',
    ],
    ['is not localhost', asItStands, ['10.0.0.2', 'localhost'], '4:computers.pc1.ip reserved_ip'],
    ['has an IP address', ['10.0.0.2', '"fe80::1"'], ['10.0.0.2', 'lab-pc'], '4:computers.pc1.ip bad_ip'],
    [
      'has an address of its own',
      [pc1, `${pc1}\n  pc2: {ip: 10.0.0.3}`],
      [pc1, `${pc1}\n  pc2: {ip: 10.0.0.2}`],
      '5:computers.pc2.ip duplicate_ip',
    ],
    [
      'has an address of its own in any form',
      ['{ip: 10.0.0.2}', '{ip: "fe80::1"}\n  pc2: {ip: "fe80::2"}'],
      ['{ip: 10.0.0.2}', '{ip: "fe80::1"}\n  pc2: {ip: "FE80:0::1"}'],
      '5:computers.pc2.ip duplicate_ip',
    ],
    [
      'has desc and ip only',
      ['{ip: 10.0.0.2}', '{ip: 10.0.0.2, desc: x}'],
      ['{ip: 10.0.0.2}', '{ip: 10.0.0.2, port: 1}'],
      '4:computers.pc1.port unknown_key',
    ],
  ]);

  const second = (computers: string): string =>
    `name: two\ndesc: x\ncomputers: {${computers}}\ndevices: {}\n`;
  it.each([
    ['may be in two labs under the same name and address', 'pc1: {ip: 10.0.0.2}', []],
    ['has one address in all labs', 'pc1: {ip: 10.0.0.9}', ['3:computers.pc1.ip computer_conflict']],
    ['has one name in all labs', 'pc9: {ip: 10.0.0.2}', ['3:computers.pc9.ip computer_conflict']],
  ])('%s', (_rule, computers, expected) => {
    const file = 'demo/laboratories/two/lab.yml';
    const { diagnostics } = assemble({ [file]: second(computers) });
    const found = diagnostics.filter((diagnostic) => diagnostic.file === file);
    expect(found.map(({ line, path, code }) => `${line ?? '-'}:${path} ${code}`)).toEqual(expected);
  });
});

describe('a device of a lab', () => {
  testRules(lab, [
    ['has a type', asItStands, ['mixer2: {type: mixer, ', 'mixer2: {'], '10:devices.mixer2.type missing_key'],
    [
      'has a computer',
      ['mixer2: {type: mixer, computer: svc_computer', 'mixer2: {type: mixer, computer: pc1'],
      ['mixer2: {type: mixer, computer: svc_computer', 'mixer2: {type: mixer'],
      '10:devices.mixer2.computer missing_key',
    ],
    [
      'has a type that exists',
      ['mixer2: {type: mixer', 'mixer2: {type: scale'],
      ['mixer2: {type: mixer', 'mixer2: {type: mixr'],
      '10:devices.mixer2.type unknown_device_type',
    ],
    [
      'has a computer that exists',
      ['computer: pc1', 'computer: svc_computer'],
      ['computer: pc1', 'computer: pc2'],
      '8:devices.mixer1.computer unknown_computer',
    ],
    [
      'has init parameters of its type',
      ['{speed: 5}', '{port: COM2}'],
      ['{speed: 5}', '{sped: 5}'],
      '9:devices.mixer1.init_parameters.sped unknown_init_parameter',
    ],
    [
      'has init parameters of the kind of their defaults',
      ['{speed: 5}', '{speed: 5.5}'],
      ['{speed: 5}', '{speed: fast}'],
      '9:devices.mixer1.init_parameters.speed init_parameter_type',
    ],
    [
      'has a name without a dot',
      ['mixer2:', 'mixer_2:'],
      ['mixer2:', 'mixer.2:'],
      '10:devices.mixer.2 bad_name',
    ],
    [
      'has a mapping as meta',
      ['{room: 1}', '{room: {a: [1]}}'],
      ['meta: {room: 1}', 'meta: 1'],
      '11:devices.scale1.meta wrong_type',
    ],
  ]);
});

describe('a resource of a lab', () => {
  testRules(lab, [
    ['has a type', asItStands, ['vial1: {type: vial}', 'vial1: {}'], '18:resources.vial1.type missing_key'],
    [
      'has a type that is declared',
      ['vial1: {type: vial}', 'vial1: {type: beaker}'],
      ['vial1: {type: vial}', 'vial1: {type: vail}'],
      '18:resources.vial1.type unknown_resource_type',
    ],
    [
      'has a mapping as meta',
      ['{colour: red, id: 7}', '{}'],
      ['{colour: red, id: 7}', '[red]'],
      '16:resources.beaker1.meta wrong_type',
    ],
    [
      'has a type with a mapping as meta',
      ['{meta: {capacity: 100, colour: none}}', ''],
      ['{capacity: 100, colour: none}', 'big'],
      '13:resource_types.beaker.meta wrong_type',
    ],
  ]);

  it('belongs to one lab only', () => {
    const two = (name: string): string =>
      `name: two\ndesc: x\ndevices: {}\nresource_types: {b: {}}\nresources: {${name}: {type: b}}\n`;
    const file = 'demo/laboratories/two/lab.yml';
    expect(assemble({ [file]: two('beaker9') }).diagnostics).toEqual([]);
    const codes = assemble({ [file]: two('beaker1') }).diagnostics.map(
      (found) => `${found.file} ${found.line ?? '-'}:${found.path} ${found.code}`,
    );
    expect(codes).toContain(`${file} 5:resources.beaker1 duplicate_resource`);
    expect(codes).toContain(`${lab} 16:resources.beaker1 duplicate_resource`);
  });
});
