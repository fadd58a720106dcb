import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentRecord, DeviceRecord, EmergencyStopReport } from '@lab/contracts';
import { eventually } from '../api.js';
import { lab, type Plant } from './plant.js';

/** What is true while the cable of a computer is pulled, and after it is plugged in again. */
export function cable(plant: () => Plant): void {
  const agent = async (): Promise<AgentRecord | undefined> =>
    (await plant().api.all<AgentRecord>('/api/agents')).find(({ computer }) => computer === 'bench_c');
  const farArm = (): Promise<DeviceRecord> => plant().api.device('far_arm');

  describe('a computer whose cable is pulled', () => {
    afterEach(async () => {
      await plant().bench.plug();
      await eventually(
        () => plant().say('estop', 'release'),
        ({ code }) => code === 0,
      );
      await plant().settle();
    });

    it('is named by an emergency stop within 2 s, and is stopped when the cable is back', async () => {
      const { api, bench } = plant();
      const move = api.rpc(lab, 'far_arm', 'move', { seconds: 80, to: 'rack' }).catch(() => undefined);
      await eventually(farArm, ({ doing }) => doing?.function === 'move');
      await bench.unplug();

      const asked = performance.now();
      const { body: report } = await api.call<EmergencyStopReport>('POST', '/api/estop', { reason: 'spill' });
      expect(performance.now() - asked).toBeLessThan(2_000);
      expect(report.confirmed).toBe(false);

      const said = await plant().say('estop', '--reason', 'spill');
      expect([said.code, said.err]).toEqual([
        3,
        expect.stringMatching(/^NOT CONFIRMED: 1 of 2 devices\. Use the hardware switch/),
      ]);
      expect(said.out).toMatch(
        /two_computers\.far_arm +bench_c +not_reached +busy at .*: move \{"seconds":80,"to":"rack"\} since \d{4}-/,
      );
      expect(said.out).toMatch(/two_computers\.near_arm +svc_computer +stopped\n/);

      const seen = new Set<string>();
      await eventually(farArm, ({ state }) => seen.add(state).has('unreachable'));
      const waiting = plant().say('estop', '--wait', '--json');
      // Long enough that every connection is given up, and that the agent counts as offline.
      await eventually(agent, (known) => known?.state === 'offline');
      seen.add((await farArm()).state);
      expect([...seen].filter((state) => state === 'disabled')).toEqual([]);
      expect(await farArm()).toMatchObject({ state: 'unreachable', doing: { function: 'move' } });

      const back = performance.now();
      await bench.plug();
      const waited = await waiting;
      plant().measured('the stop is confirmed after the cable is back', performance.now() - back);
      expect([waited.code, waited.err]).toEqual([0, '']);
      expect((JSON.parse(waited.out) as EmergencyStopReport).confirmed).toBe(true);
      expect(performance.now() - back).toBeLessThan(5_000);
      await move;
      expect(await plant().moves('far_arm', 'rack')).toBe(1);
    });

    it('loses and repeats nothing: the result and the file of its task arrive when the cable is back', async () => {
      const { api, bench } = plant();
      const task = {
        ...{ name: 'afar', type: 'carry', devices: { arm: { lab_name: lab, name: 'far_arm' } } },
        input_parameters: { seconds: 15, to: 'shelf' },
      };
      expect((await api.submit('tasks', task)).status).toBe(201);
      await eventually(farArm, ({ doing }) => doing?.function === 'move');
      await bench.unplug();
      const cut = performance.now();
      await eventually(agent, (known) => known?.state === 'suspect');
      plant().measured('the agent is suspect', performance.now() - cut);
      await eventually(agent, (known) => known?.state === 'offline');
      plant().measured('the agent is offline', performance.now() - cut);
      const [item] = await eventually(
        () => api.attention(),
        (items) => items.length > 0,
        45_000,
      );
      plant().measured('a person is asked', performance.now() - cut);
      expect(item).toMatchObject({ kind: 'agent', computer: 'bench_c', actions: ['lost'] });
      // By now the task has ended, and only its computer knows.
      expect(await api.task('afar')).toMatchObject({ state: 'running' });

      const back = performance.now();
      await bench.plug();
      await eventually(
        () => api.task('afar'),
        ({ state }) => state === 'completed',
      );
      plant().measured('the result is there after the cable is back', performance.now() - back);
      expect(performance.now() - back).toBeLessThan(10_000);
      expect((await api.task('afar')).output_parameters).toEqual({ arrived: 'shelf' });
      const file = await fetch(`${api.url}/api/tasks/afar/files/log.txt`);
      expect(await file.text()).toBe('moved to shelf\n');
      // A busy computer may refuse a first start, which then did nothing.
      const attempts = await api.attempts('afar');
      expect(attempts.filter(({ state }) => state === 'completed')).toHaveLength(1);
      expect(await plant().moves('far_arm', 'shelf')).toBe(1);
      await eventually(
        () => api.attention(),
        (items) => items.length === 0,
      );
    });
  });
}
