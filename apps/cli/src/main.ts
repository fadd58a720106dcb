#!/usr/bin/env node
import { svcProgram } from './program.js';

// `svc list tasks | head -1` closes the pipe early. Nobody reads the rest, so the command ends without a word.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });

await svcProgram().parseAsync();
