import { MemoryLog } from '@lab/actors/testing';
import { taskProcessesContract } from '@lab/actors/testing/contracts';
import { Python } from '@lab/hosting';
import { beforeAll } from 'vitest';
import { ForkedTaskProcesses } from '../src/hosts.js';

const python = new Python();
beforeAll(() => python.demand({ package: 'the test', source: 'of its hosts' }));

taskProcessesContract('forked', () => new ForkedTaskProcesses(python, new MemoryLog()));
taskProcessesContract('forked, in Python', () => new ForkedTaskProcesses(python, new MemoryLog()), 'python');
