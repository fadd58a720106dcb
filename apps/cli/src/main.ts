#!/usr/bin/env node
import { svcProgram } from './program.js';

await svcProgram().parseAsync();
