import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import {
  definitionRequests as requests,
  ProtocolSelection,
  ProtocolText,
  TaskTypeSelection,
  type ProtocolChange,
  type TaskTypeChange,
  type Validation,
} from '@lab/contracts';
import { Needs } from '../access/index.js';
import { DtoPipe, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';

/** Definitions of protocols and task types. Runs of a protocol are another controller's, by `POST /api/protocols` alone. */
@Needs('lab_admin')
@Controller('api')
export class ProtocolsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Post('protocols/load')
  @HttpCode(200)
  async load(
    @Body(new DtoPipe(ProtocolSelection)) selection: ProtocolSelection,
    @Query() query: unknown,
  ): Promise<ProtocolChange[]> {
    readQuery(query, []);
    return (await this.orchestrator.ask(requests.loadProtocols, selection)).protocols;
  }

  @Post('protocols/unload')
  @HttpCode(200)
  async unload(
    @Body(new DtoPipe(ProtocolSelection)) selection: ProtocolSelection,
    @Query() query: unknown,
  ): Promise<ProtocolChange[]> {
    readQuery(query, []);
    return (await this.orchestrator.ask(requests.unloadProtocols, selection)).protocols;
  }

  @Post('protocols/reload')
  @HttpCode(200)
  async reload(
    @Body(new DtoPipe(ProtocolSelection)) selection: ProtocolSelection,
    @Query() query: unknown,
  ): Promise<ProtocolChange[]> {
    readQuery(query, []);
    return (await this.orchestrator.ask(requests.reloadProtocols, selection)).protocols;
  }

  @Needs('submitter')
  @Post('protocols/validate')
  @HttpCode(200)
  async validate(
    @Body(new DtoPipe(ProtocolText)) text: ProtocolText,
    @Query() query: unknown,
  ): Promise<Validation> {
    readQuery(query, []);
    return this.orchestrator.ask(requests.validateProtocol, text);
  }

  @Post('tasks/reload')
  @HttpCode(200)
  async reloadTasks(
    @Body(new DtoPipe(TaskTypeSelection)) selection: TaskTypeSelection,
    @Query() query: unknown,
  ): Promise<TaskTypeChange[]> {
    readQuery(query, []);
    return (await this.orchestrator.ask(requests.reloadTasks, selection)).tasks;
  }
}
