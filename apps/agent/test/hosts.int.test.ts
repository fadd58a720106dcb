import { MemoryLog } from '@lab/actors/testing';
import { taskProcessesContract } from '@lab/actors/testing/contracts';
import { ForkedTaskProcesses } from '../src/hosts.js';

taskProcessesContract('forked', () => new ForkedTaskProcesses(new MemoryLog()));
