import { Controller } from '@nestjs/common';
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
import { protocolSelections, protocolTexts } from '../examples/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { Action, fromOrchestrator, Group, JsonBody, Operation, record, recordList } from '../routes/index.js';

const problems = ['wrong_state', ...fromOrchestrator] as const;

/** Definitions of protocols and task types. Protocol runs are submitted by `POST /api/protocols`, in another room. */
@Group('Definitions')
@Needs('lab_admin')
@Controller('api')
export class ProtocolsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Operation('Load protocols', recordList('ProtocolChange', 'The protocols are loaded.'), {
    description:
      'The service loads the protocols with their task types as they are on disk. Their laboratories must be loaded.',
    problems,
  })
  @Action('protocols/load')
  async load(
    @JsonBody(ProtocolSelection, protocolSelections) selection: ProtocolSelection,
  ): Promise<ProtocolChange[]> {
    return (await this.orchestrator.ask(requests.loadProtocols, selection)).protocols;
  }

  @Operation('Unload protocols', recordList('ProtocolChange', 'The protocols are unloaded.'), {
    description: 'Refused while runs or campaigns of the protocols are not over, unless `drain` is true.',
    problems,
  })
  @Action('protocols/unload')
  async unload(
    @JsonBody(ProtocolSelection, protocolSelections) selection: ProtocolSelection,
  ): Promise<ProtocolChange[]> {
    return (await this.orchestrator.ask(requests.unloadProtocols, selection)).protocols;
  }

  @Operation('Read protocols from disk again', recordList('ProtocolChange', 'The protocols are reloaded.'), {
    description:
      'Accepted runs keep their definitions. The next run of a campaign gets the new ones. If a file has a mistake, the earlier version stays.',
    problems,
  })
  @Action('protocols/reload')
  async reload(
    @JsonBody(ProtocolSelection, protocolSelections) selection: ProtocolSelection,
  ): Promise<ProtocolChange[]> {
    return (await this.orchestrator.ask(requests.reloadProtocols, selection)).protocols;
  }

  @Needs('submitter')
  @Operation('Check the text of a protocol', record('Validation', 'The mistakes and the warnings.'), {
    description:
      'The service checks the text as if it were a file of a package, against the laboratories and task types of all packages.',
    problems: fromOrchestrator,
  })
  @Action('protocols/validate')
  validate(@JsonBody(ProtocolText, protocolTexts) text: ProtocolText): Promise<Validation> {
    return this.orchestrator.ask(requests.validateProtocol, text);
  }

  @Operation(
    'Read task types from disk again',
    recordList('TaskTypeChange', 'The task types are reloaded.'),
    {
      description:
        'The service also reloads the loaded protocols that use the task types. Accepted work keeps its definitions. If a file has a mistake, nothing changes.',
      problems,
    },
  )
  @Action('tasks/reload')
  async reloadTasks(
    @JsonBody(TaskTypeSelection, {
      example: { summary: 'One task type', value: { task_types: ['mix_colors'] } },
    })
    selection: TaskTypeSelection,
  ): Promise<TaskTypeChange[]> {
    return (await this.orchestrator.ask(requests.reloadTasks, selection)).tasks;
  }
}
