import type { Command } from 'commander';
import type { AgentProgram } from './context.js';
import { addDoctorCommand } from './doctor.js';
import { addJoinCommand } from './join.js';
import { addRunCommand } from './run.js';
import { addServiceCommands } from './service.js';
import { addStopCommand } from './stop.js';
import { addUpdateCommand } from './update.js';
import { addVersionCommand } from './version.js';

export type { AgentProgram } from './context.js';

/** The commands in the order of the help. Each has a file of its own. */
const commands = [
  addJoinCommand,
  addRunCommand,
  addStopCommand,
  addServiceCommands,
  addDoctorCommand,
  addUpdateCommand,
  addVersionCommand,
];

export function addCommands(program: Command, context: AgentProgram): void {
  for (const add of commands) add(program, context);
}
