import { afterAll, beforeAll } from 'vitest';
import { cable } from './separate-computers/cable.js';
import { disks } from './separate-computers/disks.js';
import { Plant } from './separate-computers/plant.js';

let plant: Plant;
beforeAll(async () => {
  plant = await Plant.open();
});
afterAll(() => plant?.close());

cable(() => plant);
disks(() => plant);
