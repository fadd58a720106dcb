#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAppCommands } from './commands/apps.js';
import { addAttentionCommands } from './commands/attention.js';
import { addDefinitionCommands } from './commands/definitions.js';
import { addDemoCommand } from './commands/demo.js';
import { addDoctorCommands } from './commands/doctor.js';
import { addOperatingCommands } from './commands/operating.js';
import { addPkgCommands } from './commands/pkg.js';
import { addScheduleCommand } from './commands/schedule.js';
import { addSimCommand } from './commands/sim.js';
import { addStartCommand } from './commands/start.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('svc')
  .description('Runs automated and self-driving laboratories.')
  .version(version)
  .showHelpAfterError('(svc --help lists the commands)');
addStartCommand(program);
addDemoCommand(program);
addAppCommands(program);
addDefinitionCommands(program);
addAttentionCommands(program);
addOperatingCommands(program);
addScheduleCommand(program);
addPkgCommands(program);
addDoctorCommands(program);
addSimCommand(program);

await program.parseAsync();
